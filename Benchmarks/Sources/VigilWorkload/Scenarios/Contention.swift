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
        let commits = LatencyRecorder()
        let start = now()
        let pace = request.writerPace
        let writer = BackgroundThread(failures) {
            while isOver.value == 0 {
                let due = pace?.waitUntilDue(writes.value) ?? now()
                let id = Int64(writes.increment()) % rows + 1
                try dbPool.write { db in try db.run(Schema.updatePlayer, now(), id) }
                commits.record(now() - due)
            }
        }
        defer { isOver.increment() }
        let latencies = try request.contendedReads.run { number in
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
        let delivered = (observers.activity.counts - before).notifications
        observers.activity.waitUntilQuiet()
        let counts = observers.activity.counts - before
        try observers.end()
        var result = contentionResult(latencies, delays.latencies, counts, writes.value, seconds)
        result.metrics["ns, p99 of a commit"] = commits.latencies.percentile(99)
        if delivered > 0 {
            let perMillisecond = Double(delivered) / (seconds * 1_000)
            result.metrics["notifications per second"] = perMillisecond * 1_000
            if pace == nil { result.metrics[Metric.readPerNotification] = result.value / perMillisecond }
        }
        return result
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
