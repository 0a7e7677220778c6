import BenchmarkReport
import BenchmarkWork

#if GRDB
    import GRDB
#else
    import Vigil
#endif

extension ObservedWorkload {
    func plainWrite(_ request: RoundRequest, in place: Place) throws -> RoundResult {
        let folder = try TemporaryFolder()
        let writer = try database(place, in: folder)
        let statement = try writer.write { db in try db.makeStatement(sql: Schema.updateNote) }
        let result = try PairedLoop(request.effort) { number in
            try writer.write { db in
                try db.execute(sql: Schema.updateNote, arguments: [number + 1, number % Schema.notes + 1])
            }
        } prepared: { number in
            try writer.write { _ in
                try statement.execute(arguments: [-number - 1, number % Schema.notes + 1])
            }
        }.result
        let sum = try writer.read { db in try Int.fetchOne(db, sql: "SELECT SUM(value <> 0) FROM note") ?? 0 }
        guard sum > 0 else { throw WorkError("no row was written") }
        return result
    }

    func plainRead(_ request: RoundRequest, in place: Place) throws -> RoundResult {
        let folder = try TemporaryFolder()
        let writer = try database(place, in: folder)
        try writer.write { db in try db.execute(sql: "UPDATE note SET value = id") }
        let kept = KeptStatements(sql: Schema.selectNote)
        func verify(_ value: Int?, _ id: Int) throws {
            guard value == id else { throw WorkError("read \(value ?? -1) instead of \(id)") }
        }
        return try PairedLoop(request.effort) { number in
            let id = number % Schema.notes + 1
            let value = try writer.read { db in
                try Int.fetchOne(db, sql: Schema.selectNote, arguments: [id])
            }
            try verify(value, id)
        } prepared: { number in
            let id = number % Schema.notes + 1
            let value = try writer.read { db in
                try Int.fetchOne(kept.statement(for: db), arguments: [id])
            }
            try verify(value, id)
        }.result
    }
}

/// A compiled statement for each connection that has asked for it, for use by one thread.
private final class KeptStatements {
    private let sql: String
    private var statements: [(db: Database, statement: Statement)] = []

    init(sql: String) { self.sql = sql }

    func statement(for db: Database) throws -> Statement {
        if let kept = statements.first(where: { $0.db === db }) { return kept.statement }
        let statement = try db.makeStatement(sql: sql)
        statements.append((db, statement))
        return statement
    }
}
