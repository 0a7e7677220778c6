#if PostgreSQL && !GRDB
    import BenchmarkReport
    import BenchmarkWork
    import Dispatch
    import Vigil

    extension ObservedWorkload {
        func serverObserve(_ request: RoundRequest) throws -> RoundResult {
            try ServerSchema.with(Schema.serverScript) { address in
                let dbPool = try DatabasePool(server: address)
                return try latencies(request, observer: dbPool, writer: { dbPool }, pause: 0)
            }
        }

        func serverLatency(_ request: RoundRequest) throws -> RoundResult {
            try ServerSchema.with(Schema.serverScript) { address in
                let open = { try DatabasePool(server: address) }
                let observer = try open()
                var result = try latencies(request, observer: observer, writer: open, pause: 25_000_000)
                if request.n == 1 {
                    result.metrics[Metric.polling] = try polling(request, observer: observer, writer: open())
                }
                return result
            }
        }

        private func update(_ id: Int64, _ score: Int64, _ dbPool: DatabasePool) throws {
            try dbPool.write { db in
                try db.execute(sql: Schema.updatePlayer, arguments: [score, id])
            }
        }

        /// Measures the time from the end of the writing closure to the callback, and what idle observations
        /// cost.
        private func latencies(
            _ request: RoundRequest, observer: DatabasePool, writer: () throws -> DatabasePool,
            pause nanoseconds: Int64
        ) throws -> RoundResult {
            let observers = Observers()
            let latencies = LatencyRecorder()
            let arrived = DispatchSemaphore(value: 0)
            for id in 1...Int64(request.n) {
                let observation = ValueObservation.tracking { [activity = observers.activity] db in
                    activity.fetches.increment()
                    return try Int64.fetchOne(
                        db, sql: Schema.selectPlayer, arguments: [id])
                }
                observers.start(observation, in: observer) { score in
                    guard let score, score > 0 else { return }
                    latencies.record(now() - score)
                    arrived.signal()
                }
            }
            try observers.waitForInitialValues()
            var metrics: [String: Double] = [:]
            if !request.effort.isQuick, nanoseconds > 0 { metrics[Metric.idle] = idleShare() }
            let writer = try writer()
            let before = observers.activity.counts
            let writes = request.effort.isQuick ? 3 : 200
            for number in 0..<writes {
                BenchmarkWork.pause(nanoseconds: nanoseconds + nanoseconds / 100 * Int64(number * 37 % 50))
                try writer.write { db in
                    let id = Int64(number % request.n) + 1
                    try db.execute(sql: Schema.updatePlayer, arguments: [now(), id])
                }
                guard arrived.wait(timeout: .now() + 10) == .success else {
                    throw WorkError("no callback within 10 seconds")
                }
            }
            guard let middle = latencies.latencies.percentile(50) else { throw WorkError("no callback") }
            let counts = observers.activity.counts - before
            try observers.end()
            return RoundResult(
                value: middle, operations: writes, fetches: counts.fetches,
                notifications: counts.notifications, latencies: latencies.latencies, metrics: metrics)
        }

        /// Returns the processor time of this process during five seconds in which nothing is committed, in
        /// percent.
        private func idleShare() -> Double {
            let (before, begin) = (processorNanoseconds(), now())
            pause(nanoseconds: 5_000_000_000)
            return Double(processorNanoseconds() - before) / Double(now() - begin) * 100
        }

        /// Returns the median time from a commit until a loop that queries once a second has read it.
        private func polling(
            _ request: RoundRequest, observer: DatabasePool, writer: DatabasePool
        ) throws -> Double {
            let writes = request.effort.isQuick ? 1 : 9
            var times: [Double] = []
            for number in 0..<writes {
                // The writes are spread evenly over the second.
                let begin = now()
                let offset = Int64(1_000_000_000 * number / writes) + 50_000_000
                pause(nanoseconds: offset)
                let score = now()
                try update(1, score, writer)
                var due = begin + 1_000_000_000
                while true {
                    pause(nanoseconds: max(0, due - now()))
                    let found = try observer.read { db in
                        try Int64.fetchOne(db, sql: "SELECT score FROM player WHERE id = 1")
                    }
                    if found == score { break }
                    due += 1_000_000_000
                }
                times.append(Double(now() - score))
            }
            return median(times) ?? 0
        }
    }
#endif
