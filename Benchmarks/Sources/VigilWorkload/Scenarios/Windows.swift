import BenchmarkReport
import BenchmarkWork

#if GRDB
    import GRDB
#else
    import Vigil
#endif

extension ObservedWorkload {
    /// Measures writes to rows behind the first 50, while these are observed as an array.
    func windowOutside(_ request: RoundRequest) throws -> RoundResult {
        let dbQueue = try listedQueue(request)
        let observers = Observers()
        let activity = observers.activity
        let observation = library.observation { db in
            activity.fetches.increment()
            return try ListedRow.fetchAll(db.cachedStatement(sql: Schema.selectWindow))
        }
        observers.start(observation, in: dbQueue)
        try observers.waitForInitialValues()
        let ids = try dbQueue.read { db in
            try Int64.fetchAll(db, sql: Schema.selectLastListed, arguments: [request.n / 4])
        }
        return try measureWrites(request, dbQueue, observers, callbacks: 0) { db, number in
            try db.run(Schema.renameListed, number + 1, ids[Int(number) % ids.count])
        }
    }

    /// Measures writes to one of the first 50 rows, which are observed as a list.
    func windowWrites(_ request: RoundRequest, isIndexed: Bool = true) throws -> RoundResult {
        let dbQueue = try listedQueue(request)
        if !isIndexed { try dbQueue.write { db in try db.execute(sql: "DROP INDEX listed_score") } }
        let observers = Observers()
        observers.start(library.rows(Schema.selectWindow, [], observers.activity), in: dbQueue)
        try observers.waitForInitialValues()
        let ids = try dbQueue.read { db in
            try Int64.fetchAll(db, sql: Schema.selectFirstListed, arguments: [50])
        }
        return try measureWrites(request, dbQueue, observers, callbacks: 1) { db, number in
            try db.run(Schema.renameListed, number + 1, ids[Int(number) % ids.count])
        }
    }

    /// Measures writes after which none of the first rows is left.
    func windowRefill(_ request: RoundRequest) throws -> RoundResult {
        let dbQueue = try listedQueue(request)
        let observers = Observers()
        observers.start(library.rows(Schema.selectWindow, [], observers.activity), in: dbQueue)
        try observers.waitForInitialValues()
        return try measureWrites(request, dbQueue, observers, callbacks: 1) { db, _ in
            try db.run(Schema.moveFirstListed, 1_000_003, 100)
        }
    }
}
