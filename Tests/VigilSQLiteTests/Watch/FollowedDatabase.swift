import VigilSQLite
import VigilStorage
import XCTest

/// A connection with a mirror of all tables, kept current by the commits of other connections.
final class FollowedDatabase {
    /// The number of checks that found rows, and of those that did not understand a commit.
    private(set) var counts = (precise: 0, coarse: 0)
    private(set) var reasons: [String] = []
    /// The changes of the last check: kind and table.
    private(set) var events: [String] = []
    let connection: any ForeignCommitReading
    /// The differences between the previous rows in the last check and the mirror. They do not count if the
    /// check did not understand a commit.
    private var mistakes: [String] = []
    private var token: Int64?
    private var rows: [String: [RowKey: [StorageValue?]]] = [:]
    /// Whether the mirror has commits that the next check may report: own ones, or those before a snapshot.
    private var isAhead = false
    /// Whether the current check has read tables from its snapshot.
    private var hasLoaded = false
    private let tables: [String]

    /// - Parameter tables: the names of the mirrored tables. Without row ids, the primary key is `k, g`.
    init(_ path: String, tables: [String], access: StorageOptions.Access = .readWrite) throws {
        var options = StorageOptions()
        options.access = access
        guard
            let connection = try openPageTestConnection(path, options: options) as? any ForeignCommitReading
        else { throw StorageError(.error, "not a connection of the driver") }
        self.connection = connection
        self.tables = tables
        try load()
        try check()
        try check()
    }

    /// Writes with the connection itself.
    func write(_ body: (PageTestConnection) throws -> Void) throws {
        try body(connection)
        isAhead = true
        try load()
    }

    /// Looks for foreign commits, as the engine does, and returns whether there are any.
    @discardableResult
    func check() throws -> Bool {
        events = []
        mistakes = []
        connection.markCommits()
        let found = try connection.foreignChangeToken()
        guard found != token else {
            connection.skipMarkedCommits()
            connection.prepareForForeignCommits()
            isAhead = false
            return false
        }
        connection.markCommits()
        try connection.beginSnapshot()
        if let reason = connection.reportMarkedCommits(to: { apply($0) }) {
            counts.coarse += 1
            reasons.append(reason)
            token = try connection.foreignChangeToken()
            try load()
            hasLoaded = true
        } else {
            counts.precise += 1
            XCTAssertEqual(mistakes, [], "old rows")
            token = found
        }
        // Commits between the mark and the snapshot are reported again.
        isAhead = hasLoaded
        hasLoaded = false
        try connection.perform(.rollback)
        connection.prepareForForeignCommits()
        return true
    }

    /// Compares the mirror with the database, unless another commit is not reported yet.
    func compare(_ message: String, file: StaticString = #filePath, line: UInt = #line) throws {
        try connection.beginSnapshot()
        defer { try? connection.perform(.rollback) }
        guard try connection.foreignChangeToken() == token else { return }
        for table in tables {
            let expected = try selected(table)
            let found = rows[table] ?? [:]
            guard found != expected else { continue }
            for key in Set(found.keys).union(expected.keys) where found[key] != expected[key] {
                XCTFail(
                    "\(message): \(table) \(key): \(show(found[key])), not \(show(expected[key]))",
                    file: file, line: line)
            }
        }
    }

    private func show(_ row: [StorageValue?]?) -> String { String("\(row as Any)".prefix(200)) }

    private func apply(_ event: ChangeEvent) {
        switch event {
        case .database: XCTFail("a change of the database")
        case .table(let name):
            events.append("table \(name.name)")
            // The rows of the snapshot may be newer than this commit.
            if tables.contains(name.name) {
                rows[name.name] = try? selected(name.name)
                (isAhead, hasLoaded) = (true, true)
            }
        case .row(let change):
            events.append("\(change.kind) \(change.table.name)")
            apply(change)
        }
    }

    private func apply(_ change: RowChange) {
        guard let images = change.images, tables.contains(change.table.name) else { return }
        let columns = images.columnNames.indices
        if let key = change.oldKey {
            let known = rows[change.table.name]?.removeValue(forKey: key)
            let old = columns.map { images.oldValue(at: $0)?.value }
            if !isAhead, old != known { mistakes.append("\(key): \(show(old)), not \(show(known))") }
        }
        if let key = change.newKey {
            rows[change.table.name, default: [:]][key] = columns.map { images.newValue(at: $0)?.value }
        }
    }

    func load() throws {
        for table in tables { rows[table] = try selected(table) }
    }

    private func selected(_ table: String) throws -> [RowKey: [StorageValue?]] {
        let layout = try connection.run("PRAGMA table_xinfo(\(table))")
        let isKeyed = (try? connection.run("SELECT rowid FROM \(table) LIMIT 0")) == nil
        let columns = layout.map { row -> String in
            if case .text(let name) = row[1] { name } else { "" }
        }
        let computed = layout.indices.filter { layout[$0][6] == .integer(2) }
        let key = isKeyed ? "0" : "rowid"
        let names = columns.map(\.quotedSQLName).joined(separator: ", ")
        var result: [RowKey: [StorageValue?]] = [:]
        for row in try connection.run("SELECT \(key), \(names) FROM \(table)") {
            var values: [StorageValue?] = Array(row.dropFirst())
            if isKeyed {
                let key = ["k", "g"].compactMap { name in columns.firstIndex(of: name).flatMap { values[$0] }
                }
                result[.values(key)] = values
            } else if case .integer(let number) = row[0] {
                for index in computed { values[index] = nil }
                result[.integer(number)] = values
            }
        }
        return result
    }
}
