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

        func serverMatch(_ request: RoundRequest) throws -> RoundResult {
            let (n, isQuick) = (request.n, request.effort.isQuick)
            return try ServerSchema.with(Schema.publishedScript(n)) { address in
                var configuration = Configuration()
                configuration.publication = Schema.publication
                let open = { [configuration] in
                    try DatabasePool(server: address, configuration: configuration)
                }
                let speed = try writesPerSecond(address, n, isQuick ? 0.01 : 2)
                let beside = n == 1 ? try writeBesideObservation(address, isQuick, open) : nil
                let observer = try open()
                while observer.feedState(timeout: 10) != .precise {}
                return try latencies(
                    request, Schema.selectTeam, observer: observer, writer: open, pause: 25_000_000
                ) { observers, writer, arrived in
                    let rows = try changedRows(address, n, isQuick) {
                        try update(1, now(), writer)
                        arrived.wait()
                    }
                    let observation = ValueObservation.tracking { db in
                        try Int64.fetchOne(
                            db, sql: "SELECT count(*) FROM player WHERE team > ? AND id = ?",
                            arguments: [n, n + 1])
                    }
                    let matching = Observers()
                    matching.start(observation, in: observer)
                    try matching.waitForInitialValues()
                    let matched = try changedRows(address, n, isQuick) {
                        try update(1, now(), writer)
                        arrived.wait()
                    }
                    try matching.end()
                    // Only one pool has a stream then, as in a program that observes what others write.
                    try writer.close()
                    let observedSpeed = try writesPerSecond(address, n, isQuick ? 0.01 : 2)
                    var metrics = [
                        "changed rows per second of processor time that match nothing": rows
                            .perProcessorSecond,
                        "changed rows per second that match nothing": rows.perSecond,
                        "changed rows per second that match": matched.perSecond,
                        "times as many writes per second without observations": speed / observedSpeed,
                    ]
                    metrics["time of a write, 200 per second, relative to one without observations"] = beside
                    return metrics
                }
            }
        }

        /// Returns the number of rows that a client of libpq updates one by one, per second.
        private func writesPerSecond(_ address: String, _ n: Int, _ seconds: Double) throws -> Double {
            let server = try ReferenceServer(
                address: address, statement: "UPDATE player SET score = $1 WHERE id = $2")
            let (begin, end) = (now(), now() + Int64(seconds * 1e9))
            var count: Int64 = 0
            while now() < end {
                count += 1
                _ = try server.transaction("BEGIN", 0, Int64(n + 1) + count % 1_000)
            }
            return Double(count) / Double(now() - begin) * 1e9
        }

        /// Returns the median time of the transactions of a client of libpq that writes 200 times per second,
        /// beside a pool with an observation of another row, relative to that without the pool. Both take
        /// turns, because the speed of the machine changes.
        private func writeBesideObservation(
            _ address: String, _ isQuick: Bool, _ open: () throws -> DatabasePool
        ) throws -> Double? {
            let server = try ReferenceServer(
                address: address, statement: "UPDATE player SET score = $1 WHERE id = $2")
            let (alone, beside) = (LatencyRecorder(), LatencyRecorder())
            func write(_ recorder: LatencyRecorder) throws {
                for number in 0..<Int64(isQuick ? 2 : 100) {
                    pause(nanoseconds: 5_000_000)
                    let begin = now()
                    _ = try server.transaction("BEGIN", number, 2 + number)
                    recorder.record(now() - begin)
                }
            }
            for _ in 0..<(isQuick ? 1 : 10) {
                try write(alone)
                let observer = try open()
                while observer.feedState(timeout: 10) != .precise {}
                let observers = Observers()
                observers.start(
                    ValueObservation.tracking { db in
                        try Int64.fetchOne(db, sql: Schema.selectTeam, arguments: [1])
                    }, in: observer)
                try observers.waitForInitialValues()
                try write(beside)
                try observers.end()
                try observer.close()
            }
            guard let base = alone.latencies.percentile(50), let time = beside.latencies.percentile(50) else {
                return nil
            }
            return time / base
        }

        /// Changes all rows without an observed team, and runs `end`.
        private func changedRows(
            _ address: String, _ n: Int, _ isQuick: Bool, _ end: () throws -> Void
        ) throws -> (perSecond: Double, perProcessorSecond: Double) {
            let server = try ReferenceServer(address: address)
            let (begin, processor) = (now(), processorNanoseconds())
            let count = isQuick ? 1_000 : Schema.unobservedPlayers
            for first in stride(from: n + 1, to: n + count, by: 500) {
                try server.execute(
                    "UPDATE player SET score = score + 1 WHERE id BETWEEN \(first) AND \(first + 499)")
            }
            try end()
            return (
                Double(count) / Double(now() - begin) * 1e9,
                Double(count) / Double(processorNanoseconds() - processor) * 1e9
            )
        }

        private func update(_ id: Int64, _ score: Int64, _ dbPool: DatabasePool) throws {
            try dbPool.write { db in
                try db.execute(sql: Schema.updatePlayer, arguments: [score, id])
            }
        }

        /// Measures the time from the end of the writing closure to the callback, and what idle observations
        /// cost.
        private func latencies(
            _ request: RoundRequest, _ sql: String = Schema.selectPlayer, observer: DatabasePool,
            writer: () throws -> DatabasePool, pause nanoseconds: Int64,
            further: (Observers, DatabasePool, DispatchSemaphore) throws -> [String: Double] = { _, _, _ in
                [:]
            }
        ) throws -> RoundResult {
            let observers = Observers()
            let allocated = ProcessMemory.allocatedBytes
            let latencies = LatencyRecorder()
            let arrived = DispatchSemaphore(value: 0)
            for id in 1...Int64(request.n) {
                let observation = ValueObservation.tracking { [activity = observers.activity] db in
                    activity.fetches.increment()
                    return try Int64.fetchOne(db, sql: sql, arguments: [id])
                }
                observers.start(observation, in: observer) { score in
                    guard let score, score > 0 else { return }
                    latencies.record(now() - score)
                    arrived.signal()
                }
            }
            try observers.waitForInitialValues(seconds: 300)
            let bytes = ProcessMemory.allocatedBytes - allocated
            var metrics: [String: Double] = [:]
            if request.n > 100 { metrics["bytes per observation"] = Double(bytes) / Double(request.n) }
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
            metrics.merge(try further(observers, writer, arrived)) { $1 }
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
