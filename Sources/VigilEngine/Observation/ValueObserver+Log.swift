import Logging
import Synchronization

extension ValueObserver {
    /// Writes to the log of the configuration, if there is one.
    func log(_ message: @autoclosure () -> String, isFailure: Bool = false) {
        guard let logger = state.withLock({ $0.logger }) else { return }
        let label = observation.label
        logger.log(
            level: isFailure ? .error : .debug, "\(message())", metadata: ["observation": .string(label)])
    }
}
