import BenchmarkReport
import BenchmarkWork

#if GRDB
    import GRDB
#else
    import Vigil
#endif

extension ObservedWorkload {
    /// Measures writes to one row of a table, whose rows are counted for each row of an observed list.
    func linkedWrites(_ request: RoundRequest, _ list: String, _ write: String) throws -> RoundResult {
        let dbQueue = try listedQueue(request)
        try dbQueue.write { db in try db.execute(sql: Schema.groups(request.n)) }
        let observers = Observers()
        observers.start(library.rows(list, [], observers.activity), in: dbQueue)
        try observers.waitForInitialValues()
        let count = Int64(request.n)
        return try measureWrites(request, dbQueue, observers, callbacks: 1) { db, number in
            try db.run(write, 1, Schema.listedKey(number, of: count))
        }
    }

    /// Measures writes to one row of a table, observed by a closure with statements that read all rows.
    func resultWrites(_ request: RoundRequest, _ statements: [String]) throws -> RoundResult {
        let dbQueue = try listedQueue(request)
        let observers = Observers()
        let observation = library.observation { db in
            try statements.map { sql in
                try Row.fetchAll(db.cachedStatement(sql: sql)).map { $0[$0.count - 1] as Double }
            }
        }
        observers.start(observation, in: dbQueue)
        try observers.waitForInitialValues()
        let count = Int64(request.n)
        // The result is kept in memory from the second change on.
        for number in 0..<3 {
            try dbQueue.write { db in try db.run(Schema.moveListed, Int64(number), Int64(number) + 1) }
        }
        return try measureWrites(request, dbQueue, observers, callbacks: 1) { db, number in
            try db.run(Schema.moveListed, number + 1, Schema.listedKey(number, of: count))
        }
    }
}
