import Synchronization
import Vigil
import XCTest

/// A module of full-text search, for tests that apply to several.
enum FullTextModule: String, CaseIterable {
    case fts4
    case fts5

    /// Creates an index of the columns `title` and `body` of a table, or a table of its own.
    func create(_ db: Database, _ name: String, of content: String? = nil) throws {
        switch self {
        case .fts4:
            try db.create(virtualTable: name, using: FTS4()) { t in
                if let content { t.synchronize(withTable: content) }
                t.column("title")
                t.column("body")
            }
        case .fts5:
            try db.create(virtualTable: name, using: FTS5()) { t in
                if let content { t.synchronize(withTable: content) }
                t.column("title")
                t.column("body")
            }
        }
    }

    func dropTriggers(_ db: Database, _ name: String) throws {
        switch self {
        case .fts4: try db.dropFTS4SynchronizationTriggers(forTable: name)
        case .fts5: try db.dropFTS5SynchronizationTriggers(forTable: name)
        }
    }

    /// Runs a body that creates a table with the module, unless the library lacks it.
    ///
    /// - Returns: Whether the library has the module.
    @discardableResult
    func ifPresent(_ body: () throws -> Void) throws -> Bool {
        do {
            try body()
            return true
        } catch let error as DatabaseError where error.message?.hasPrefix("no such module: fts5") == true {
            return false
        }
    }
}

/// A row of a table whose columns `title` and `body` are indexed by another table.
struct IndexedNote: Codable, FetchableRecord, PersistableRecord, Hashable {
    static let databaseTableName = "note"
    var id: Int64
    var title: String
    var body: String
    var stars = 0

    enum Columns {
        static let id = Column("id")
        static let title = Column("title")
        static let body = Column("body")
    }

    static func createTable(_ db: Database) throws {
        try db.create(table: "note") { t in
            t.primaryKey("id", .integer)
            t.column("title", .text)
            t.column("body", .text)
            t.column("stars", .integer).notNull().defaults(to: 0)
        }
    }
}

/// The number of fetches of an observation.
final class FetchCounter: Sendable {
    private let count = Mutex(0)

    func add() { count.withLock { $0 += 1 } }

    /// Returns the number of fetches since the last call.
    func take() -> Int {
        count.withLock { count in
            defer { count = 0 }
            return count
        }
    }
}
