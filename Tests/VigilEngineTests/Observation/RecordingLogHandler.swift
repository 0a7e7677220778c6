import Logging

/// Passes log events of all levels to a closure.
struct RecordingLogHandler: LogHandler {
    var metadata = Logger.Metadata()
    var logLevel = Logger.Level.trace
    private let record: @Sendable (LogEvent) -> Void

    init(_ record: @escaping @Sendable (LogEvent) -> Void) { self.record = record }

    /// Records messages with their levels.
    init(_ messages: Recorder<String>) {
        self.init { messages.append("\($0.level): \($0.message)") }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) { record(event) }
}
