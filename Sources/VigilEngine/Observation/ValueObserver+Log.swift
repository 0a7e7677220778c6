import Logging
import Synchronization

/// Where the observations of one database say what they do.
final class ObservationLog: Sendable {
    private let logger: Logger

    /// `nil` if nobody wants to know.
    init?(_ configuration: Configuration) {
        guard let logger = configuration.logger else { return nil }
        self.logger = logger
    }

    func write(_ message: String, isFailure: Bool, observation: String) {
        logger.log(
            level: isFailure ? .error : .debug, "\(message)",
            metadata: ["observation": .string(observation)])
    }
}

extension ValueObserver {
    /// Writes to the log of the configuration, if there is one.
    func log(_ message: @autoclosure () -> String, isFailure: Bool = false) {
        guard let log = state.withLock({ $0.log }) else { return }
        log.write(message(), isFailure: isFailure, observation: observation.label)
    }
}
