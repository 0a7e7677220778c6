import Synchronization
import VigilStorage

/// A feed that may report changes by table.
protocol TableReporting: StorageCommitFeed {
    /// The tables reported one by one.
    var reportedTables: ReportedTables { get }
    /// Determines the reads of queries for this feed.
    var analyst: QueryAnalyst { get }
}

/// The tables whose changes a running feed reports under their own names. Shared by the feed of a pool and
/// the pool's connections.
///
/// A table is reported if each change of its rows, and of the rows of all tables below it (partitions,
/// children), is reported as a change of this table. All other content of the server is represented by
/// ``unreported``, reported as changed with each change of the token.
///
/// The reads of statements are derived from the current state. The feed therefore replaces the state *before*
/// it reports a change of the whole database, after which all observers fetch again: when the set of tables
/// changes, when the catalog changes (``PostgresConnection/catalogVersion(includesAllRoles:)``), and when a
/// stream begins or ends. It reads the version of the catalog before it replaces the state.
final class ReportedTables: Sendable {
    /// The reports of the feed, until it is replaced.
    struct State: Sendable {
        /// The number of states before this one.
        fileprivate(set) var version = 0
        /// `nil` while the feed reports each commit as a change of the whole database.
        fileprivate(set) var tables: Set<TableName>?
        /// The schema with the name `main` in the reports of the feed.
        fileprivate(set) var mainSchema = ""
        /// The integer columns that the feed reports as row ids.
        fileprivate(set) var rowIDs: [TableName: String] = [:]
        /// The server of the feed, see ``SessionIdentity/server``; `nil` while the feed is not connected.
        fileprivate(set) var server: String?
    }

    /// The table that stands for everything not reported under its own name. Users cannot create the schema.
    static let unreported = TableName(schema: "pg_vigil", name: "unreported")

    private let content = Mutex(State())

    var state: State { content.withLock { $0 } }

    /// Replaces the state. A report of a change of the whole database must follow.
    ///
    /// - Parameters:
    ///   - tables: the reported tables, with the schema `mainSchema` as `main`; `nil` if the feed reports no
    ///     single tables.
    ///   - rowIDs: the column of each table that is reported as the row id.
    func replace(
        _ tables: Set<TableName>?, mainSchema: String, rowIDs: [TableName: String] = [:]
    ) {
        content.withLock { state in
            state.version += 1
            state.tables = tables
            state.mainSchema = mainSchema
            state.rowIDs = rowIDs
        }
    }

    /// Replaces the server. If it is another one, a report of a change of the whole database must follow.
    func replaceServer(_ server: String?) { content.withLock { $0.server = server } }
}
