import VigilSQLCipher
import VigilSQLite
import VigilStorage
import XCTest

extension NamedBackend {
    /// The backends of this build whose libraries lack the pre-update hook or are treated as if they lacked
    /// it.
    static var withoutHook: [NamedBackend] {
        var backends: [NamedBackend] = []
        #if SQLite
            backends.append(
                NamedBackend(name: "SQLite without hook", backend: SQLiteBackend(ignoresPreupdateHook: true)))
        #endif
        return backends
            + all.filter { named in
                let connection = try? named.backend.open(.memory(name: nil), options: StorageOptions())
                return connection?.capabilities.reportsRowImages == false
            }
    }
}

/// A connection without pre-update hook that reports requested row images, and a log of its reports.
struct TriggerBench {
    let name: String
    let connection: any StorageConnection
    let log: EventLog

    /// Runs a body on each library without pre-update hook, with row images of the tables that the schema
    /// creates.
    static func onEach(
        _ schema: String, imagesOf tables: [TableName], interest: ChangeInterest = .changes,
        _ body: (TriggerBench) throws -> Void
    ) throws {
        for named in NamedBackend.withoutHook {
            let connection = try named.open(schema)
            let log = EventLog()
            connection.report(to: log, interest: interest)
            try connection.provideImages(of: tables)
            try body(TriggerBench(name: named.name, connection: connection, log: log))
            connection.report(to: nil, interest: .nothing)
            try connection.close()
        }
    }

    /// Returns the reports of a statement, without commits.
    func changes(by sql: String) throws -> [String] {
        _ = log.take()
        try connection.run(sql)
        return log.take().filter { $0 != "will commit" }
    }

    /// Returns whether the library can compile a statement.
    func knows(_ sql: String) -> Bool {
        (try? connection.prepare(sql, fromUTF8Offset: 0, isCached: false)) != nil
    }

    /// Returns the names of the driver's triggers.
    func triggers() throws -> [String] {
        try connection.run(
            "SELECT name FROM sqlite_temp_master WHERE type = 'trigger' AND name LIKE '\\_vigil%' ESCAPE '\\'"
        ).compactMap { if case .text(let name)? = $0.first { name } else { nil } }
    }
}

extension StorageConnection {
    func provideImages(of tables: [TableName]) throws {
        try XCTUnwrap(self as? any RowImageProviding).provideRowImages(of: Set(tables))
    }
}
