public import Foundation
import VigilStorage

extension Database {
    /// Which events ``Database/trace(options:_:)`` reports.
    public struct TracingOptions: OptionSet, Sendable {
        public let rawValue: CInt

        public init(rawValue: CInt) { self.rawValue = rawValue }

        /// Each statement, when it begins.
        public static let statement = TracingOptions(
            rawValue: CInt(bitPattern: StorageTraceEvents.statement.rawValue))
        /// Each statement, when it has ended, with the time that it took.
        public static let profile = TracingOptions(
            rawValue: CInt(bitPattern: StorageTraceEvents.profile.rawValue))
    }

    /// What a connection does.
    public enum TraceEvent: CustomStringConvertible {
        /// A statement begins.
        case statement(Statement)
        /// A statement has ended.
        case profile(statement: Statement, duration: TimeInterval)

        /// A statement that is traced. Ask it while the trace closure runs: ``expandedSQL`` is ``sql`` afterwards.
        public struct Statement: CustomStringConvertible {
            let traced: any TracedStatement
            let publicStatementArguments: Bool

            /// The SQL without values. A trigger appears as a comment with its name.
            public var sql: String { traced.sql.trimmedTrace }

            /// The SQL with its values, which may be private.
            public var expandedSQL: String { traced.expandedSQL.trimmedTrace }

            /// The SQL; with its values only if ``Configuration/publicStatementArguments`` says so.
            public var description: String { publicStatementArguments ? expandedSQL : sql }
        }

        /// The SQL, after the seconds that it took if it has ended. With its values only if
        /// ``Configuration/publicStatementArguments`` says so.
        public var description: String {
            switch self {
            case .statement(let statement): statement.description
            case .profile(let statement, let duration): "\(Self.seconds(duration)) \(statement)"
            }
        }

        /// ``description`` with the values, which may be private.
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
