/// A connection that tells which statements it runs.
public protocol StatementTracing: StorageConnection {
    /// Reports statements to `receiver`, in place of an earlier one; `nil` ends that.
    ///
    /// The receiver runs on the thread that uses the connection, in the middle of a statement: it must not use the
    /// connection. What the backend asks for itself is not reported.
    func trace(_ events: StorageTraceEvents, _ receiver: ((StorageTraceEvent) -> Void)?)
}

/// Which events are traced.
public struct StorageTraceEvents: OptionSet, Sendable {
    public let rawValue: UInt32

    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// A statement begins.
    public static let statement = StorageTraceEvents(rawValue: 1)
    /// A statement has ended, with the time that it took.
    public static let profile = StorageTraceEvents(rawValue: 2)
}

/// What is told about a statement.
public enum StorageTraceEvent {
    case statement(any TracedStatement)
    case profile(any TracedStatement, duration: Duration)
}

/// A statement that is traced. The text with its values is only there while the receiver runs.
public protocol TracedStatement: AnyObject {
    /// The text, without values. A trigger appears as a comment with its name.
    var sql: String { get }

    /// The text with its bound values in place; afterwards ``sql``.
    var expandedSQL: String { get }
}

/// A connection that knows its statements.
public protocol StatementListing: StorageConnection {
    /// The texts of the statements that are compiled and not finalized.
    var statementTexts: [String] { get }
}
