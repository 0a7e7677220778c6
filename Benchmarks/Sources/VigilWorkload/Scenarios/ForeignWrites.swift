import BenchmarkReport
import BenchmarkWork
import Foundation

#if GRDB
    import GRDB
#else
    import Vigil
#endif

extension ObservedWorkload {
    func foreignWriteLatency(_ request: RoundRequest) throws -> RoundResult {
        try foreignWrites(request, rows: Schema.players, metrics: { _, _ in [:] })
    }

    func foreignRows(_ request: RoundRequest) throws -> RoundResult {
        let rows = request.effort.isQuick ? Schema.players : request.effort.isProfile ? 100_000 : 1_000_000
        return try foreignWrites(request, rows: rows) { folder, writer in
            guard !request.effort.isQuick, !request.effort.isProfile, request.n > 1 else { return [:] }
            return try costOfObserver(folder, writer, observing: request.n)
        }
    }

    private func foreignWrites(
        _ request: RoundRequest, rows: Int,
        metrics: (TemporaryFolder, ForeignWriter) throws -> [String: Double]
    ) throws -> RoundResult {
        guard library.noticesForeignWrites else {
            throw Absence("it does not detect writes by other processes")
        }
        let folder = try TemporaryFolder()
        let writer = ForeignWriter(
            command: request.writerCommand, path: folder.databasePath, rows: 1...request.n)
        let dbPool = try filePool(in: folder, observingForeignWrites: true)
        if rows > Schema.players { try dbPool.write { db in try db.execute(sql: Schema.morePlayers(rows)) } }
        try emptyLog(dbPool)
        let observers = Observers()
        let latencies = LatencyRecorder()
        try observePlayers(request.n, in: dbPool, with: observers) { moment in
            latencies.record(now() - moment)
        }
        // Writes to rows that nothing reads, so that the time is that of the detection.
        let unread = rows > request.n ? request.n + 1...rows : 1...rows
        func processorTime(of writes: Int) throws -> Int64 {
            let begin = processorNanoseconds()
            _ = try writer.run(writes, to: unread)
            observers.activity.waitUntilQuiet(milliseconds: 200)
            return processorNanoseconds() - begin
        }
        let writes = request.effort.isQuick ? 3 : request.effort.isProfile ? request.effort.operations : 200
        // This process starts the other one, and waits.
        let overhead = try processorTime(of: 0)
        let time = Double(try processorTime(of: writes) - overhead) / Double(writes)
        let before = observers.activity.counts
        _ = try writer.run(writes)
        observers.activity.waitUntilQuiet(milliseconds: 200)
        var result = try latencyResult(writes, latencies.latencies, observers, since: before)
        try dbPool.close()
        result.metrics = try metrics(folder, writer)
        result.metrics[Metric.processorTimePerCommit] = time
        return result
    }

    /// Measures what an observer in this process costs a writer that does not pause.
    private func costOfObserver(
        _ folder: TemporaryFolder, _ writer: ForeignWriter, observing n: Int
    ) throws -> [String: Double] {
        let commits = 20_000
        func measure() throws -> (time: Double, log: Double) {
            let time = try writer.run(commits, pauses: false)
            let size = try FileManager.default.attributesOfItem(atPath: folder.databasePath + "-wal")[.size]
            return (time, Double((size as? Int) ?? 0))
        }
        var configuration = try library.configuration()
        configuration.maximumReaderCount = 5
        // The file has an open connection in both cases, so that the log remains.
        let idle = try DatabasePool(path: folder.databasePath, configuration: configuration)
        library.observeForeignWrites(&configuration)
        // The clock of a machine changes, so the two cases take turns.
        var (slowdowns, growths): ([Double], [Double]) = ([], [])
        for _ in 0..<5 {
            try emptyLog(idle)
            let alone = try measure()
            try emptyLog(idle)
            let dbPool = try DatabasePool(path: folder.databasePath, configuration: configuration)
            let observers = Observers()
            try observePlayers(n, in: dbPool, with: observers)
            let observed = try measure()
            try observers.end()
            try dbPool.close()
            slowdowns.append(observed.time / alone.time)
            growths.append(observed.log / alone.log)
        }
        return [
            Metric.foreignWriterSlowdown: median(slowdowns) ?? 0,
            Metric.foreignLogGrowth: median(growths) ?? 0,
        ]
    }

    private func emptyLog(_ dbPool: DatabasePool) throws {
        try dbPool.writeWithoutTransaction { db in
            _ = try Row.fetchAll(db, sql: "PRAGMA wal_checkpoint(TRUNCATE)")
        }
    }

    /// Writes the current time into players of a database that another process observes, one per commit.
    ///
    /// - Returns: the nanoseconds per commit.
    public func writeForOthers(
        path: String, count: Int, rows: ClosedRange<Int>, pauses: Bool
    ) throws -> Double {
        let dbQueue = try DatabaseQueue(path: path, configuration: library.configuration())
        try dbQueue.writeWithoutTransaction { db in try db.execute(sql: Schema.synchronous) }
        var total: Int64 = 0
        for number in 0..<count {
            if pauses {
                // The pauses vary, so that writes do not synchronize with the observer's periodic checks.
                pause(nanoseconds: 20_000_000 + Int64(number * 7_919 % 10_000) * 1_000)
            }
            let begin = now()
            try dbQueue.write { db in
                let key = Schema.scatteredKey(Int64(number), of: Int64(rows.count))
                try db.run(Schema.updatePlayer, begin, key + Int64(rows.lowerBound) - 1)
            }
            total += now() - begin
        }
        return Double(total) / Double(max(count, 1))
    }
}

/// A process that writes into a database.
private struct ForeignWriter {
    let command: [String]
    let path: String
    /// The players to write to.
    let rows: ClosedRange<Int>

    /// Returns the nanoseconds per commit.
    func run(_ count: Int, to others: ClosedRange<Int>? = nil, pauses: Bool = true) throws -> Double {
        let rows = others ?? rows
        let arguments =
            command + [path, "\(count)", "\(rows.lowerBound)", "\(rows.upperBound)"]
            + (pauses ? [] : ["--without-pauses"])
        // Not `Process`, which closes descriptors of valgrind.
        guard let output = popen(arguments.map { "'\($0)'" }.joined(separator: " "), "r") else {
            throw WorkError("the writing process cannot be started")
        }
        var line = [CChar](repeating: 0, count: 100)
        _ = fgets(&line, 100, output)
        let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        guard pclose(output) == 0, let time = Double(text.trimmingCharacters(in: .newlines)) else {
            throw WorkError("the writing process failed")
        }
        return time
    }
}
