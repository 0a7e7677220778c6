import VigilStorage

/// The prepared statements of a session.
///
/// Their names are random, because a pooler may hand the session to another program that names its statements
/// in the same way.
struct PreparedStatements {
    private let prefix = "vigil_" + String(UInt64.random(in: 0 ... .max), radix: 36)
    private var count = 0
    /// The driver's own queries, by text.
    private(set) var queries: [String: (name: String, columnCount: Int)] = [:]
    /// The base types of the program's domains, and other types of programs, by their numbers.
    var baseTypes: [UInt32: UInt32] = [:]
    /// The names of statements no longer in use.
    private(set) var released: [String] = []
    /// The last statement prepared without a name.
    weak var unnamed: PostgresStatement?

    /// The number of released statements to deallocate before a transaction begins.
    private static let maximumReleasedCount = 16
    /// The same in an open transaction, where a deallocation takes more.
    private static let maximumReleasedCountInTransaction = 64

    mutating func newName() -> String {
        count += 1
        return "\(prefix)_\(count)"
    }

    mutating func didPrepareQuery(_ sql: String, name: String, columnCount: Int) {
        queries[sql] = (name, columnCount)
    }

    /// Records that a query of the driver does not exist on the server.
    mutating func didDeallocate(query sql: String) { queries[sql] = nil }

    mutating func release(_ name: String) { released.append(name) }

    /// Records that the program has deallocated all statements.
    mutating func didDeallocateAll() {
        queries = [:]
        released = []
    }

    /// Returns SQL to deallocate the released statements, if there are enough of them.
    mutating func takeDeallocation(inTransaction: Bool) -> String? {
        let limit = inTransaction ? Self.maximumReleasedCountInTransaction : Self.maximumReleasedCount
        guard released.count >= limit else { return nil }
        defer { released = [] }
        return released.map { "DEALLOCATE \($0)" }.joined(separator: ";")
    }
}
