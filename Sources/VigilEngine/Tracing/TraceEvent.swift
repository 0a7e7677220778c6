public import Foundation
import VigilStorage

extension Database {
    /// The events reported by ``Database/trace(options:_:)``.
    ///
    /// ```swift
    /// db.trace(options: [.statement, .profile]) { event in print(event) }
    /// ```
    public struct TracingOptions: OptionSet, Sendable {
        /// The bits of the options.
        public let rawValue: CInt

        /// Creates options from bits.
        public init(rawValue: CInt) { self.rawValue = rawValue }

        /// The beginning of each statement.
        public static let statement = TracingOptions(
            rawValue: CInt(bitPattern: StorageTraceEvents.statement.rawValue))
        /// The end of each statement, with its duration.
        public static let profile = TracingOptions(
            rawValue: CInt(bitPattern: StorageTraceEvents.profile.rawValue))
    }

    /// An event of a traced connection.
    public enum TraceEvent: CustomStringConvertible {
        /// A statement begins.
        case statement(Statement)
        /// A statement has ended. The duration is in seconds.
        case profile(statement: Statement, duration: TimeInterval)

        /// A traced statement. Use it only in the trace closure: afterwards, ``expandedSQL`` is the same as
        /// ``sql``.
        public struct Statement: CustomStringConvertible {
            let traced: any TracedStatement
            let publicStatementArguments: Bool

            /// The SQL without values. Triggers are reported as a comment with their name.
            public var sql: String { traced.sql.trimmedTrace }

            /// The SQL with its possibly private values.
            public var expandedSQL: String { traced.expandedSQL.trimmedTrace }

            /// The SQL, with its values only if ``Configuration/publicStatementArguments`` is true.
            public var description: String { publicStatementArguments ? expandedSQL : sql }
        }

        /// The SQL, preceded by the duration if the statement has ended. Contains values only if
        /// ``Configuration/publicStatementArguments`` is true.
        public var description: String {
            switch self {
            case .statement(let statement): statement.description
            case .profile(let statement, let duration): "\(Self.seconds(duration)) \(statement)"
            }
        }

        /// The ``description`` with the possibly private values.
        public var expandedDescription: String {
            switch self {
            case .statement(let statement): statement.expandedSQL
            case .profile(let statement, let duration): "\(Self.seconds(duration)) \(statement.expandedSQL)"
            }
        }

        private static func seconds(_ duration: TimeInterval) -> String {
            String(format: "%.3fs", duration)
        }
    }
}

extension String {
    fileprivate var trimmedTrace: String { hasPrefix("--") ? self : trimmedStatement }
}
