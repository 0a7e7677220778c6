import Logging

/// Passes the messages of all levels to a closure.
struct RecordingLogHandler: LogHandler {
    struct Entry {
        let level: Logger.Level
        let message: String
        let metadata: Logger.Metadata?
    }

    var metadata = Logger.Metadata()
    var logLevel = Logger.Level.trace
    private let record: @Sendable (Entry) -> Void

    init(_ record: @escaping @Sendable (Entry) -> Void) { self.record = record }

    /// Records messages with their levels.
    init(_ messages: Recorder<String>) {
        self.init { messages.append("\($0.level): \($0.message)") }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    #if compiler(>=6.2)
        func log(event: LogEvent) {
            record(Entry(level: event.level, message: "\(event.message)", metadata: event.metadata))
        }
    #else
        // The versions of swift-log for Swift 6.1 have no events.
        func log(
            level: Logger.Level, message: Logger.Message, metadata: Logger.Metadata?, source: String,
            file: String, function: String, line: UInt
        ) {
            record(Entry(level: level, message: "\(message)", metadata: metadata))
        }
    #endif
}
