import BenchmarkReport
import BenchmarkWork
import Dispatch
import Foundation

#if GRDB
    import GRDB
#else
    import Vigil
#endif

#if PostgreSQL && !GRDB
    extension ObservedWorkload {
        func serverWrite(_ request: RoundRequest) throws -> RoundResult {
            try withServer { open in
                let dbPool = try open()
                let write = { (number: Int) in try self.update(1, Int64(number), dbPool) }
                let warmUp = try TimedLoop.warmUp(request.effort, operation: write)
                let loop = try TimedLoop(request.effort, after: warmUp, operation: write)
                return RoundResult(
                    value: loop.nanoseconds, operations: loop.operations, latencies: loop.latencies)
            }
        }

        func serverObserve(_ request: RoundRequest) throws -> RoundResult {
            try withServer { open in
                let dbPool = try open()
                return try latencies(request, observer: dbPool, writer: { dbPool }, pause: 0)
            }
        }

        func serverLatency(_ request: RoundRequest) throws -> RoundResult {
            try withServer { open in
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
                try db.execute(sql: "UPDATE player SET score = ? WHERE id = ?", arguments: [score, id])
            }
        }

        /// Calls `body` with a function that opens pools on a schema of its own, and removes the schema.
        private func withServer<Result>(_ body: (() throws -> DatabasePool) throws -> Result) throws -> Result
        {
            guard library.measuresServers else {
                throw Absence("a server does not depend on the library of files")
            }
            guard let server = ProcessInfo.processInfo.environment["VIGIL_POSTGRES"] else {
                throw Absence("VIGIL_POSTGRES does not name a server: eval \"$(Scripts/postgres start)\"")
            }
            let schema = "benchmark_\(ProcessInfo.processInfo.processIdentifier)"
            let execute = { (sql: String) in
                let dbPool = try DatabasePool(server: server)
                try dbPool.write { db in try db.execute(sql: sql) }
                // Its watch would be part of what idle observations cost.
                try dbPool.close()
            }
            try execute(
                """
                CREATE SCHEMA \(schema);
                CREATE TABLE \(schema).player (id BIGINT PRIMARY KEY, score BIGINT NOT NULL);
                INSERT INTO \(schema).player SELECT id, 0 FROM generate_series(1, 1000) id
                """)
            defer { try? execute("DROP SCHEMA \(schema) CASCADE") }
            let address = "\(server)\(server.contains("?") ? "&" : "?")options=-csearch_path%3D\(schema)"
            return try body { try DatabasePool(server: address) }
        }

        /// Measures the time from the end of the writing closure to the callback, and what idle observations cost.
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
                        db, sql: "SELECT score FROM player WHERE id = ?", arguments: [id])
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
                    try db.execute(sql: "UPDATE player SET score = ? WHERE id = ?", arguments: [now(), id])
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

        /// Returns the processor time of this process during five seconds in which nothing is committed, in percent.
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
#else
    extension ObservedWorkload {
        private var absence: Absence {
            #if GRDB
                Absence("it has no servers")
            #else
                Absence("the benchmarks were built without the trait PostgreSQL")
            #endif
        }

        func serverWrite(_ request: RoundRequest) throws -> RoundResult { throw absence }
        func serverObserve(_ request: RoundRequest) throws -> RoundResult { throw absence }
        func serverLatency(_ request: RoundRequest) throws -> RoundResult { throw absence }
    }
#endif
