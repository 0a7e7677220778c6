import BenchmarkReport
import BenchmarkWork
import Synchronization

#if GRDB
    import GRDB
#else
    import Vigil
#endif

extension ObservedWorkload {
    /// Must be called on the main thread, as immediate scheduling requires.
    func start(_ request: RoundRequest) throws -> RoundResult {
        try MainActor.assumeIsolated {
            try request.n == 1 ? startFirst(request) : startMany(request)
        }
    }

    /// Measures from opening a pool to the first value.
    @MainActor private func startFirst(_ request: RoundRequest) throws -> RoundResult {
        let folder = try TemporaryFolder()
        try filePool(in: folder).close()
        let configuration = try library.configuration()
        var latencies = LatencyHistogram()
        let end = now() + Int64(request.effort.seconds * 1e9)
        var times: [Double] = []
        repeat {
            let start = now()
            let dbPool = try DatabasePool(path: folder.databasePath, configuration: configuration)
            let value = FirstValue()
            let cancellable = value.start(1, in: dbPool)
            let time = now() - start
            try value.verify()
            cancellable.cancel()
            try dbPool.close()
            latencies.record(time)
            times.append(Double(time))
        } while times.count < request.effort.limited(to: 500).operations && now() < end
        return RoundResult(
            value: median(times) ?? 0, operations: times.count, latencies: latencies)
    }

    /// Measures the starts of observations in an open pool.
    @MainActor private func startMany(_ request: RoundRequest) throws -> RoundResult {
        let folder = try TemporaryFolder()
        let dbPool = try filePool(in: folder)
        var (starts, completions): ([Double], [Double]) = ([], [])
        for round in 0...3 {
            let values = (0..<request.n).map { _ in FirstValue() }
            let start = now()
            let cancellables = values.indices.map { values[$0].start($0 + 1, in: dbPool) }
            let started = now()
            // The writer completes the work that the starts enqueued.
            try dbPool.write { _ in }
            let completed = now()
            for value in values { try value.verify() }
            for cancellable in cancellables { cancellable.cancel() }
            try dbPool.write { _ in }
            // The first starts warm up.
            guard round > 0 else { continue }
            starts.append(Double(started - start) / Double(request.n))
            completions.append(Double(completed - start) / Double(request.n))
        }
        return RoundResult(
            value: median(starts) ?? 0, operations: request.n * starts.count,
            metrics: ["ns, with the work left for the writer": median(completions) ?? 0])
    }
}

/// Receives the values of an observation with immediate scheduling.
@MainActor private final class FirstValue {
    private var count = 0
    private var failure: (any Error)?

    func start(_ id: Int, in dbPool: DatabasePool) -> AnyDatabaseCancellable {
        ValueObservation.tracking { db in
            try Int.fetchOne(db, sql: Schema.selectPlayer, arguments: [id])
        }.start(in: dbPool, scheduling: .immediate) { error in
            self.failure = error
        } onChange: { _ in
            self.count += 1
        }
    }

    /// Verifies that the value was delivered before the start returned.
    func verify() throws {
        if let failure { throw failure }
        guard count > 0 else { throw WorkError("no value was delivered immediately") }
    }
}
