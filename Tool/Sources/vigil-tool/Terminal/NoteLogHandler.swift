import Logging

/// Writes messages of all levels to standard error, as notes of the tool.
struct NoteLogHandler: LogHandler {
    var logLevel = Logger.Level.debug
    var metadata = Logger.Metadata()

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    #if compiler(>=6.2)
        func log(event: LogEvent) { Output.note("\(event.message)") }
    #else
        // The versions of swift-log for Swift 6.1 have no events.
        func log(
            level: Logger.Level, message: Logger.Message, metadata: Logger.Metadata?, source: String,
            file: String, function: String, line: UInt
        ) {
            Output.note("\(message)")
        }
    #endif
}
