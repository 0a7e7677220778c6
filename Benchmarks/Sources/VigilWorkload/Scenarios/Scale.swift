import BenchmarkReport
import BenchmarkWork

#if GRDB
    import GRDB
#else
    import Vigil
#endif

extension ObservedWorkload {
    func scale(_ request: RoundRequest) throws -> RoundResult {
        let folder = try TemporaryFolder()
        let dbPool = try filePool(in: folder)
        let rows = max(request.n * 10, Schema.players)
        if rows > Schema.players { try dbPool.write { db in try db.execute(sql: Schema.morePlayers(rows)) } }
        let first = Observers()
        try observePlayers(1, in: dbPool, with: first)
        let observers = Observers()
        let (allocated, resident) = (ProcessMemory.allocatedBytes, ProcessMemory.residentBytes)
        let start = now()
        for id in 1...Int64(request.n) {
            observers.start(playerObservation(id, observers.activity), in: dbPool)
        }
        try observers.activity.wait(forNotifications: request.n, seconds: 600)
        let started = now() - start
        observers.activity.waitUntilQuiet()
        let count = Double(request.n)
        var metrics = [
            "ns, per start until all have a value": Double(started) / count,
            "bytes per observation": Double(ProcessMemory.allocatedBytes - allocated) / count,
            "resident bytes per observation": Double(ProcessMemory.residentBytes - resident) / count,
        ]
        var number = 0
        func write(_ first: Int, of count: Int) throws {
            number += 1
            let id = first + number * 37 % count
            try dbPool.write { db in try db.run(Schema.updatePlayer, Int64(number), Int64(id)) }
        }
        func measure(_ operation: (Int) throws -> Void) throws -> TimedLoop {
            let warmUp = try TimedLoop.warmUp(request.effort, operation: operation)
            let isSlow = warmUp > 1_000_000_000
            return isSlow
                ? TimedLoop(single: warmUp)
                : try TimedLoop(request.effort, after: warmUp, operation: operation)
        }
        let unmatched = try measure { _ in try write(request.n + 1, of: rows - request.n) }
        metrics["ns, a write to a row that is not observed"] = unmatched.nanoseconds
        observers.activity.waitUntilQuiet()
        let matched = try measure { _ in try write(1, of: request.n) }
        observers.activity.waitUntilQuiet()
        try observers.end()
        try first.end()
        return RoundResult(
            value: matched.nanoseconds, operations: matched.operations, latencies: matched.latencies,
            metrics: metrics)
    }
}
