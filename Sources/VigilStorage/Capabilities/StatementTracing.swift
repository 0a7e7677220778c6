/// A connection that can report the statements that it runs.
public protocol StatementTracing: StorageConnection {
    /// Sets the receiver of trace events, which replaces the previous one.
    ///
    /// The receiver runs on the thread that uses the connection, in the middle of a statement: it must not use the
    /// connection. Statements that the backend runs for its own purposes are not reported.
    ///
    /// - Parameters:
    ///   - events: the events to report.
    ///   - receiver: called for each event; `nil` ends the reports.
    func trace(_ events: StorageTraceEvents, _ receiver: ((StorageTraceEvent) -> Void)?)
}

/// A set of trace events.
public struct StorageTraceEvents: OptionSet, Sendable {
    /// The bits of the events.
    public let rawValue: UInt32

    /// Creates a set from its bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// A statement begins to run.
    public static let statement = StorageTraceEvents(rawValue: 1)
    /// A statement has ended, with its duration.
    public static let profile = StorageTraceEvents(rawValue: 2)
}

/// A trace event.
public enum StorageTraceEvent {
    /// A statement begins to run.
    case statement(any TracedStatement)
    /// A statement has ended, after the given duration.
    case profile(any TracedStatement, duration: Duration)
}

/// The statement of a trace event.
public protocol TracedStatement: AnyObject {
    /// The text, without bound values. A trigger appears as a comment with its name.
    var sql: String { get }

    /// The text with the bound values in place of the parameters.
    ///
    /// Available only while the receiver runs; the same as ``sql`` afterwards.
    var expandedSQL: String { get }
}

/// A connection that can list its statements, for messages about those that prevent it from closing.
public protocol StatementListing: StorageConnection {
    /// The texts of the statements that are compiled and not finalized.
    var statementTexts: [String] { get }
}
