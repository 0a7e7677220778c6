import Synchronization
import Vigil

/// The statements that a database runs, with their arguments.
final class StatementLog: Sendable {
    private let statements = Mutex<[String]>([])

    /// Opens a database in memory whose statements are logged.
    func makeDatabase(_ schema: String) throws -> DatabaseQueue {
        let dbQueue = try DatabaseQueue()
        try dbQueue.write { try $0.execute(sql: schema) }
        dbQueue.writeWithoutTransaction { db in
            db.trace { event in self.statements.withLock { $0.append(event.expandedDescription) } }
        }
        return dbQueue
    }

    /// Returns the statements that read or write rows since the last call.
    func take() -> [String] {
        let verbs = ["INSERT", "UPDATE", "DELETE", "SELECT"]
        let all = statements.withLock { statements in
            defer { statements = [] }
            return statements
        }
        return all.filter { statement in
            verbs.contains { statement.hasPrefix($0) } && !statement.contains("sqlite_master")
        }
    }
}

extension Database {
    /// Whether the library has upserts without a conflict target, and RETURNING.
    var returnsRows: Bool {
        get throws {
            let version = try String.fetchOne(self, sql: "SELECT sqlite_version()") ?? ""
            return !version.split(separator: ".").lexicographicallyPrecedes(["3", "35"]) {
                Int($0) ?? 0 < Int($1) ?? 0
            }
        }
    }
}
