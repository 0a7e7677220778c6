import BenchmarkReport
import BenchmarkWork

#if GRDB
    import GRDB
#else
    import Vigil
#endif

extension ObservedWorkload {
    func unrelatedWrites(_ request: RoundRequest) throws -> RoundResult {
        let dbQueue = try memoryQueue()
        let observers = Observers()
        try observePlayers(request.n, in: dbQueue, with: observers)
        return try measureWrites(request, dbQueue, observers, callbacks: 0) { db, number in
            try db.run(Schema.updateNote, number + 1, number % Int64(Schema.notes) + 1)
        }
    }

    func oneRowHit(_ request: RoundRequest) throws -> RoundResult {
        let dbQueue = try memoryQueue()
        let observers = Observers()
        try observePlayers(request.n, in: dbQueue, with: observers)
        let count = Int64(request.n)
        return try measureWrites(request, dbQueue, observers, callbacks: 1) { db, number in
            try db.run(Schema.updatePlayer, number + 1, number % count + 1)
        }
    }

    func predicateHit(_ request: RoundRequest) throws -> RoundResult {
        let dbQueue = try memoryQueue()
        let observers = Observers()
        let activity = observers.activity
        for team in 1...Int64(request.n) {
            let observation = library.observation { db in
                activity.fetches.increment()
                return try Int64.fetchAll(db.cachedStatement(sql: Schema.selectTeam), arguments: [team])
            }
            observers.start(observation, in: dbQueue)
        }
        try observers.waitForInitialValues()
        let count = Int64(request.n)
        return try measureWrites(request, dbQueue, observers, callbacks: 1) { db, number in
            // A player with the number of a team belongs to that team.
            try db.run(Schema.updatePlayer, number + 1, number % count + 1)
        }
    }

    func equalObservations(_ request: RoundRequest) throws -> RoundResult {
        let dbQueue = try memoryQueue()
        let observers = Observers()
        let observation = playerObservation(1, observers.activity)
        for _ in 0..<request.n { observers.start(observation, in: dbQueue) }
        try observers.waitForInitialValues()
        var number: Int64 = 0
        func next(_: Int) throws {
            number += 1
            try observers.activity.wait(forNotifications: request.n) {
                try dbQueue.write { db in try db.run(Schema.updatePlayer, number, 1) }
            }
        }
        let beforeWarmUp = observers.activity.counts
        let warmUp = try TimedLoop.warmUp(request.effort, operation: next)
        // An engine that takes this long is not measured again: its second write would take as long as the
        // first.
        let loop =
            warmUp > 1_000_000_000
            ? TimedLoop(single: warmUp) : try TimedLoop(request.effort, after: warmUp, operation: next)
        observers.activity.waitUntilQuiet()
        let counts = observers.activity.counts - beforeWarmUp
        try observers.end()
        return RoundResult(
            value: loop.nanoseconds, operations: Int(number), fetches: counts.fetches,
            notifications: counts.notifications, latencies: loop.latencies)
    }

    func avoidable(_ request: RoundRequest) throws -> RoundResult {
        let dbQueue = try memoryQueue()
        let observers = Observers()
        try observePlayers(request.n, in: dbQueue, with: observers)
        let count = Int64(request.n)
        return try measureWrites(request, dbQueue, observers, callbacks: 0) { db, number in
            try db.run(Schema.updatePlayer, 0, number % count + 1)
        }
    }

    /// Measures consecutive transactions, and counts fetches and callbacks until there are no more.
    ///
    /// All writes are counted, also in the warm-up. If the counts began later, callbacks of the warm-up
    /// that a busy machine delays would be counted as callbacks of later writes.
    ///
    /// - Parameter callbacks: the least number of callbacks per write, which are awaited at the end.
    func measureWrites(
        _ request: RoundRequest, _ dbQueue: DatabaseQueue, _ observers: Observers, callbacks: Int,
        _ write: (Database, Int64) throws -> Void
    ) throws -> RoundResult {
        var number: Int64 = 0
        func next(_: Int) throws {
            try dbQueue.write { db in try write(db, number) }
            number += 1
        }
        let activity = observers.activity
        let before = activity.counts
        let warmUp = try TimedLoop.warmUp(request.effort, operation: next)
        // An engine that takes this long is not measured again: its second write would take as long as the
        // first.
        let isSlow = warmUp > 1_000_000_000
        if !isSlow { activity.waitUntilQuiet() }
        let loop =
            isSlow
            ? TimedLoop(single: warmUp) : try TimedLoop(request.effort, after: warmUp, operation: next)
        activity.waitBriefly(forNotifications: before.notifications + callbacks * Int(number))
        activity.waitUntilQuiet()
        let counts = activity.counts - before
        try observers.end()
        return RoundResult(
            value: loop.nanoseconds, operations: Int(number), fetches: counts.fetches,
            notifications: counts.notifications, latencies: loop.latencies)
    }
}
