import BenchmarkReport
import BenchmarkWork

#if GRDB
    import GRDB
#else
    import Vigil
#endif

extension ObservedWorkload {
    /// The number of observations of one row each, which are measured.
    private var neighbours: Int { 50 }

    func slowNeighbour(_ request: RoundRequest) throws -> RoundResult {
        let folder = try TemporaryFolder()
        let dbPool = try filePool(in: folder)
        let observers = Observers()
        let slowObservers = Observers()
        let delays = LatencyRecorder()
        let isMeasured = Counter()
        try observePlayers(neighbours, in: dbPool, with: observers) { moment in
            if isMeasured.value > 0 { delays.record(now() - moment) }
        }
        let fetchTime: Int64 = request.effort.isQuick ? 50_000_000 : 1_000_000_000
        for _ in 0..<request.n {
            let observation = library.observation { db in
                pause(nanoseconds: fetchTime)
                return try Int64.fetchOne(db.cachedStatement(sql: Schema.greatestScore))
            }
            slowObservers.start(observation, in: dbPool)
        }
        try slowObservers.waitForInitialValues()
        isMeasured.increment()
        let before = observers.activity.counts
        let pace = Pace(perSecond: 200)
        let writes = request.effort.isQuick ? 20 : 600
        for number in 0..<writes {
            _ = pace.waitUntilDue(number)
            let id = Int64(number % neighbours) + 1
            try dbPool.write { db in try db.run(Schema.updatePlayer, now(), id) }
        }
        observers.activity.waitUntilQuiet()
        let counts = observers.activity.counts - before
        try observers.end()
        try slowObservers.end()
        let latencies = delays.latencies
        guard let result = latencies.percentile(99) else { throw WorkError("no callback was received") }
        return RoundResult(
            value: result, operations: writes, fetches: counts.fetches, notifications: counts.notifications,
            latencies: latencies, metrics: ["ns, p50 from commit to callback": latencies.percentile(50) ?? 0])
    }
}
