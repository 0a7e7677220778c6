import Logging
import Synchronization

/// Writes what the observations of one database do to the logger of its configuration.
final class ObservationLog: Sendable {
    private let logger: Logger

    /// Returns `nil` if the configuration has no logger.
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
    /// Logs a message, if the configuration has a logger. The message is not evaluated otherwise.
    func log(_ message: @autoclosure () -> String, isFailure: Bool = false) {
        guard let log = state.withLock({ $0.log }) else { return }
        log.write(message(), isFailure: isFailure, observation: label)
    }
}
