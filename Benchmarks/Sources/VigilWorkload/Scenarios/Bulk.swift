import BenchmarkReport
import BenchmarkWork

#if GRDB
    import GRDB
#else
    import Vigil
#endif

extension ObservedWorkload {
    func bulkTransaction(_ request: RoundRequest) throws -> RoundResult {
        let folder = try TemporaryFolder()
        let dbPool = try filePool(in: folder)
        let observers = Observers()
        let activity = observers.activity
        for _ in 0..<request.n {
            let observation = library.observation { db in
                activity.fetches.increment()
                return try Int64.fetchOne(db.cachedStatement(sql: Schema.selectItem))
            }
            observers.start(observation, in: dbPool)
        }
        try observers.waitForInitialValues()
        let warmUp = now()
        try insert(1_000, into: dbPool)
        // The time per row does not depend on the number of rows: a slow engine need not insert all of them.
        let isSlow = now() - warmUp > 50_000_000
        let rows = isSlow ? request.insertedRows / 20 : request.insertedRows
        try activity.wait(forNotifications: 2 * request.n)
        activity.waitUntilQuiet()
        let before = activity.counts
        var times: [Double] = []
        let end = now() + (request.effort.isQuick ? 0 : 1_000_000_000)
        repeat {
            let expected = activity.notifications.value + request.n
            let start = now()
            try insert(rows, into: dbPool)
            times.append(Double(now() - start) / Double(rows))
            try activity.wait(forNotifications: expected)
            activity.waitUntilQuiet()
        } while now() < end && times.count < 3
        let counts = activity.counts - before
        try observers.end()
        return RoundResult(
            value: median(times) ?? 0, operations: times.count, fetches: counts.fetches,
            notifications: counts.notifications, metrics: ["rows per transaction": Double(rows)])
    }

    private func insert(_ count: Int, into dbPool: DatabasePool) throws {
        try dbPool.write { db in
            let statement = try db.cachedStatement(sql: Schema.insertItem)
            for value in 0..<count {
                try statement.execute(arguments: ["item", value])
            }
        }
    }
}
