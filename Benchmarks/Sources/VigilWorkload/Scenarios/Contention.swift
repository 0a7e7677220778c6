import BenchmarkReport
import BenchmarkWork

#if GRDB
    import GRDB
#else
    import Vigil
#endif

extension ObservedWorkload {
    /// The number of rows that are written, and observed if there are observations.
    private var writtenRows: Int64 { 200 }

    func poolContention(_ request: RoundRequest) throws -> RoundResult {
        let folder = try TemporaryFolder()
        let dbPool = try filePool(in: folder)
        let observers = Observers()
        let delays = LatencyRecorder()
        let isOver = Counter()
        // The writer writes the current time as the score.
        try observePlayers(request.n, in: dbPool, with: observers) { moment in
            delays.record(now() - moment)
        }
        let before = observers.activity.counts
        let failures = FirstError()
        let writes = Counter()
        let rows = writtenRows
        let start = now()
        let writer = BackgroundThread(failures) {
            while isOver.value == 0 {
                let id = Int64(writes.increment()) % rows + 1
                try dbPool.write { db in try db.run(Schema.updatePlayer, now(), id) }
            }
        }
        defer { isOver.increment() }
        let latencies = try OpenLoop(
            perSecond: 1_000, threads: 4, seconds: request.effort.isQuick ? 0.1 : 1
        ).run { number in
            let first = Int64(number * 37 % 15_000)
            let scores = try dbPool.read { db in
                try Int64.fetchAll(
                    db.cachedStatement(sql: Schema.selectManyPlayers), arguments: [first + 1, first + 500])
            }
            guard scores.count == 500 else { throw WorkError("read \(scores.count) rows of 500") }
        }
        isOver.increment()
        writer.join()
        let seconds = Double(now() - start) / 1e9
        try failures.rethrow()
        observers.activity.waitUntilQuiet()
        let counts = observers.activity.counts - before
        try observers.end()
        return contentionResult(latencies, delays.latencies, counts, writes.value, seconds)
    }

    private func contentionResult(
        _ reads: LatencyHistogram, _ delays: LatencyHistogram, _ counts: Activity.Counts, _ writes: Int,
        _ seconds: Double
    ) -> RoundResult {
        var metrics = ["writes per second": Double(writes) / seconds]
        metrics["ns, p50 of a read"] = reads.percentile(50)
        metrics["ns, p50 from commit to callback"] = delays.percentile(50)
        metrics["ns, p99 from commit to callback"] = delays.percentile(99)
        return RoundResult(
            value: reads.percentile(99) ?? 0, operations: writes, fetches: counts.fetches,
            notifications: counts.notifications, latencies: reads, metrics: metrics)
    }
}
