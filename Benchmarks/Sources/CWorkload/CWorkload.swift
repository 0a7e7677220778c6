public import BenchmarkReport
public import BenchmarkWork
import CReference

/// The scenarios with the C library, as far as they are possible: writes, and the queries whose results they
/// change.
public struct CWorkload: Workload {
    public init() {}

    /// The version of libsqlite3.
    public static var libraryVersion: String { String(cString: reference_version()) }

    public func run(_ request: RoundRequest) throws -> RoundResult {
        switch request.scenario {
        case .plainWriteMemory, .plainWriteQueue, .plainWritePool,
            .plainReadMemory, .plainReadQueue, .plainReadPool,
            .oneObservationMemorySQL, .oneObservationQueueSQL, .oneObservationPoolSQL,
            .oneObservationMemoryRecord, .oneObservationQueueRecord, .oneObservationPoolRecord,
            .plainRecordsInsert, .plainRecordsUpdate, .plainRecordsFetch, .plainRecordsFetchAll:
            return try plain(request)
        case .writeBaseline, .unrelatedWrites:
            return try writes(request, Schema.updateNote, nil, rows: 10_000)
        case .oneRowHit: return try writes(request, Schema.updatePlayer, Schema.selectPlayer, rows: request.n)
        case .predicateHit:
            return try writes(request, Schema.updatePlayer, Schema.selectTeam, rows: request.n)
        case .equalObservations: return try writes(request, Schema.updatePlayer, Schema.selectPlayer, rows: 1)
        case .avoidable:
            return try writes(request, "UPDATE player SET score = ? * 0 WHERE id = ?", nil, rows: request.n)
        case .bulkTransaction: return try bulkTransaction(request)
        case .poolContention, .poolContentionPaced: return try contention(request)
        case .decodeRows: return try reading(request, reference_read_rows)
        case .decodeRecords, .decodeInitRow, .decodeMacro: return try reading(request, reference_read_records)
        case .fetchByKey: return try fetchByKey(request)
        case .insertRecords, .insertMacro:
            return try saving(request, Schema.insertRecord, insertsFirst: false)
        case .updateRecords: return try saving(request, Schema.updateRecord, insertsFirst: true)
        case .listUpdate, .windowInside: return try listWrites(request, Schema.renameListed)
        case .listMove, .countFilter, .groupUpdate, .groupTop, .dashboard:
            return try listWrites(request, Schema.moveListed)
        case .listMany, .listEqual, .listBulk, .listStart, .listJoin, .listBurst, .listDiff, .sectionDiff,
            .listMemory,
            .windowOutside, .windowUnindexed, .windowRefill, .unreadCounts, .joinCount:
            throw Absence("the C library has no observations")
        case .requestBuild: throw Absence("the C library has only prepared statements")
        case .burst, .slowNeighbour, .start, .startChurn, .scale, .notificationLatency, .foreignWriteLatency,
            .foreignRows, .memory, .streamMemory:
            throw Absence("the C library has no observations")
        case .serverWrite, .serverInsert, .serverRead, .serverRows, .serverRecords, .serverFirstRow,
            .serverObserve, .serverLatency, .serverMatch:
            return try server(request)
        }
    }

    func writes(
        _ request: RoundRequest, _ update: String, _ query: String?, rows: Int,
        in place: Place = .memory
    ) throws -> RoundResult {
        let folder = try TemporaryFolder()
        return try writes(request, update, query, on: connection(place, in: folder)) { $0 % Int64(rows) + 1 }
    }

    /// Measures writes to a row of the table `listed` and the look-up of this row, without a list or a
    /// result: the least that an update of them can cost.
    private func listWrites(_ request: RoundRequest, _ update: String) throws -> RoundResult {
        let connection = try ReferenceConnection(path: ":memory:", script: Schema.listed(request.n))
        let rows = Int64(request.n)
        return try writes(request, update, Schema.selectListedScore, on: connection) {
            Schema.listedKey($0, of: rows)
        }
    }

    /// - Parameter key: the row of a write with a number.
    private func writes(
        _ request: RoundRequest, _ update: String, _ query: String?, on connection: ReferenceConnection,
        key: (Int64) -> Int64
    ) throws -> RoundResult {
        let update = try connection.prepare(update)
        let query = try query.map(connection.prepare)
        var number: Int64 = 0
        func next(_: Int) throws {
            let id = key(number)
            try connection.transaction(update, number + 1, id)
            _ = query?.sum(id)
            number += 1
        }
        let warmUp = try TimedLoop.warmUp(request.effort, operation: next)
        let loop = try TimedLoop(request.effort, after: warmUp, operation: next)
        return RoundResult(value: loop.nanoseconds, operations: loop.operations, latencies: loop.latencies)
    }

    private func bulkTransaction(_ request: RoundRequest) throws -> RoundResult {
        let folder = try TemporaryFolder()
        let connection = try fileConnection(in: folder)
        let insert = try connection.prepare(Schema.insertItem)
        let query = try connection.prepare(Schema.selectItem)
        try connection.bulkTransaction(insert, text: "item", count: 1_000)
        var times: [Double] = []
        for _ in 0..<(request.effort.isQuick ? 1 : 3) {
            let start = now()
            try connection.bulkTransaction(insert, text: "item", count: request.insertedRows)
            times.append(Double(now() - start) / Double(request.insertedRows))
            _ = query.sum()
        }
        return RoundResult(value: median(times) ?? 0, operations: times.count)
    }

    private func reading(
        _ request: RoundRequest,
        _ read: (UnsafePointer<CChar>?, UnsafePointer<CChar>?, UnsafeMutablePointer<Int64>?) -> Int64
    ) throws -> RoundResult {
        let folder = try TemporaryFolder()
        _ = try ReferenceConnection(path: folder.databasePath, script: Schema.rows(request.n))
        return try ReadingRounds(rows: request.n) {
            var checksum: Int64 = 0
            _ = read(folder.databasePath, Schema.selectRecords, &checksum)
            return checksum
        }.result
    }

    private func fetchByKey(_ request: RoundRequest) throws -> RoundResult {
        let folder = try TemporaryFolder()
        let connection = try ReferenceConnection(
            path: folder.databasePath, script: Schema.rows(request.n))
        let query = try connection.prepare(Schema.selectRecord)
        let count = Int64(request.n)
        return try ReadingRounds(rows: request.n) {
            try connection.execute("BEGIN")
            let sum = (0..<count).reduce(0) { $0 + query.record(Schema.scatteredKey($1, of: count)) }
            try connection.execute("COMMIT")
            return sum
        }.result
    }

    private func saving(_ request: RoundRequest, _ sql: String, insertsFirst: Bool) throws -> RoundResult {
        let folder = try TemporaryFolder()
        let connection = try ReferenceConnection(path: folder.databasePath, script: Schema.emptyRecords)
        let insertion = try connection.prepare(Schema.insertRecord)
        let statement = try connection.prepare(sql)
        return try SavingRounds(rows: request.n) {
            try connection.execute("DELETE FROM record")
            if insertsFirst { try connection.saveRecords(insertion, count: request.n, firstID: 1) }
            let start = now()
            try connection.saveRecords(statement, count: request.n, firstID: insertsFirst ? 1 : 0)
            return now() - start
        }.result
    }
}

extension CWorkload {
    func connection(_ place: Place, in folder: TemporaryFolder) throws -> ReferenceConnection {
        switch place {
        case .memory: try ReferenceConnection(path: ":memory:", script: Schema.script)
        case .queue, .pool: try fileConnection(in: folder)
        }
    }

    func fileConnection(in folder: TemporaryFolder) throws -> ReferenceConnection {
        try ReferenceConnection(
            path: folder.databasePath,
            script: "PRAGMA journal_mode = WAL; \(Schema.synchronous); \(Schema.script)")
    }

    /// Runs `pool-contention` with one connection for the writer, and one for each reading thread.
    private func contention(_ request: RoundRequest) throws -> RoundResult {
        guard request.n == 0 else { throw Absence("the C library has no observations") }
        let folder = try TemporaryFolder()
        let first = try fileConnection(in: folder)
        let path = folder.databasePath
        // The timeout comes first, because other connections open the file at the same time.
        let setUp = "PRAGMA busy_timeout = 5000; \(Schema.synchronous)"
        let failures = FirstError()
        let writes = Counter()
        let isOver = Counter()
        let start = now()
        let pace = request.writerPace
        let writer = BackgroundThread(failures) {
            let connection = try ReferenceConnection(path: path, script: setUp)
            let update = try connection.prepare(Schema.updatePlayer)
            while isOver.value == 0 {
                _ = pace?.waitUntilDue(writes.value)
                try connection.transaction(update, now(), Int64(writes.increment()) % 200 + 1)
            }
        }
        defer { isOver.increment() }
        let loop = request.contendedReads
        let readers = try (0..<loop.threads).map { _ in
            try ReferenceReader(path: path, script: setUp, query: Schema.selectManyPlayers)
        }
        let reads = try loop.run { number in
            let first = Int64(number * 37 % 15_000)
            readers[number % loop.threads].read(first + 1, first + 500)
        }
        isOver.increment()
        writer.join()
        try failures.rethrow()
        withExtendedLifetime(first) {}
        var metrics = ["writes per second": Double(writes.value) / (Double(now() - start) / 1e9)]
        metrics["ns, p50 of a read"] = reads.percentile(50)
        return RoundResult(
            value: reads.percentile(99) ?? 0, operations: writes.value, latencies: reads, metrics: metrics)
    }
}

/// A query on a connection of its own. Guarded by its use: a single thread makes all requests of a reader.
private final class ReferenceReader: @unchecked Sendable {
    private let statement: ReferenceStatement

    init(path: String, script: String, query: String) throws {
        statement = try ReferenceConnection(path: path, script: script).prepare(query)
    }

    func read(_ first: Int64, _ last: Int64) { _ = statement.sum(first, last) }
}
