import BenchmarkReport
public import BenchmarkWork

#if GRDB
    import GRDB
#else
    import Vigil
#endif

/// The scenarios with one library.
///
/// This folder is compiled twice, once with Vigil and once with GRDB, so that both do the same work.
public struct ObservedWorkload: Workload {
    let library: Library

    public init(_ library: Library) {
        self.library = library
    }

    public func run(_ request: RoundRequest) throws -> RoundResult {
        switch request.scenario {
        case .plainWriteMemory: try plainWrite(request, in: .memory)
        case .plainWriteQueue: try plainWrite(request, in: .queue)
        case .plainWritePool: try plainWrite(request, in: .pool)
        case .plainReadMemory: try plainRead(request, in: .memory)
        case .plainReadQueue: try plainRead(request, in: .queue)
        case .plainReadPool: try plainRead(request, in: .pool)
        case .oneObservationMemorySQL: try oneObservationOfSQL(request, in: .memory)
        case .oneObservationQueueSQL: try oneObservationOfSQL(request, in: .queue)
        case .oneObservationPoolSQL: try oneObservationOfSQL(request, in: .pool)
        case .oneObservationMemoryRecord: try oneObservationOfRecord(request, in: .memory)
        case .oneObservationQueueRecord: try oneObservationOfRecord(request, in: .queue)
        case .oneObservationPoolRecord: try oneObservationOfRecord(request, in: .pool)
        case .plainRecordsInsert: try plainInsert(request)
        case .plainRecordsUpdate: try plainUpdate(request)
        case .plainRecordsFetch: try plainFetch(request)
        case .plainRecordsFetchAll: try plainFetchAll(request)
        case .writeBaseline, .unrelatedWrites: try unrelatedWrites(request)
        case .oneRowHit: try oneRowHit(request)
        case .predicateHit: try predicateHit(request)
        case .equalObservations: try equalObservations(request)
        case .avoidable: try avoidable(request)
        case .burst: try burst(request)
        case .bulkTransaction: try bulkTransaction(request)
        case .poolContention, .poolContentionPaced: try poolContention(request)
        case .slowNeighbour: try slowNeighbour(request)
        case .start: try start(request)
        case .startChurn: try startChurn(request)
        case .notificationLatency: try notificationLatency(request)
        case .foreignWriteLatency: try foreignWriteLatency(request)
        case .foreignRows: try foreignRows(request)
        case .decodeRows: try decodeRows(request)
        case .decodeRecords: try decodeRecords(request)
        case .decodeInitRow: try decodeInitRow(request)
        case .decodeMacro: try decodeMacro(request)
        case .fetchByKey: try fetchByKey(request)
        case .insertRecords: try insertRecords(request)
        case .insertMacro: try insertMacro(request)
        case .updateRecords: try updateRecords(request)
        case .requestBuild: try requestBuild(request)
        case .memory: try memory(request)
        case .streamMemory: try streamMemory(request)
        case .scale: try scale(request)
        case .listUpdate: try listWrites(request, Schema.renameListed)
        case .listMove: try listWrites(request, Schema.moveListed)
        case .listMany: try listMany(request)
        case .listEqual: try listEqual(request)
        case .listBulk: try listBulk(request)
        case .listStart: try listStart(request)
        case .listJoin: try listJoin(request)
        case .listBurst: try listBurst(request)
        case .listDiff: try listDiff(request)
        case .sectionDiff: try sectionDiff(request)
        case .listMemory: try listMemory(request)
        case .windowOutside: try windowOutside(request)
        case .windowInside: try windowWrites(request)
        case .windowUnindexed: try windowWrites(request, isIndexed: false)
        case .windowRefill: try windowRefill(request)
        case .countFilter: try resultWrites(request, [Schema.countEven])
        case .groupUpdate: try resultWrites(request, [Schema.sumByTeam])
        case .groupTop: try resultWrites(request, [Schema.greatestTeams])
        case .dashboard: try resultWrites(request, Schema.dashboard)
        case .unreadCounts: try linkedWrites(request, Schema.selectCounts, Schema.raiseListed)
        case .joinCount: try linkedWrites(request, Schema.selectJoinCounts, Schema.moveToOtherTeam)
        case .serverWrite, .serverInsert, .serverRead, .serverRows, .serverRecords, .serverFirstRow,
            .serverObserve, .serverLatency, .serverMatch:
            try server(request)
        }
    }
}

extension ObservedWorkload {
    /// Returns a database in memory with the tables of ``Schema``.
    func memoryQueue() throws -> DatabaseQueue {
        let dbQueue = try DatabaseQueue(configuration: library.configuration())
        try dbQueue.write { db in try db.execute(sql: Schema.script) }
        return dbQueue
    }

    /// Returns an empty folder's database with the tables of ``Schema``.
    func database(_ place: Place, in folder: TemporaryFolder) throws -> any DatabaseWriter {
        switch place {
        case .memory: try memoryQueue()
        case .queue: try fileQueue(in: folder)
        case .pool: try filePool(in: folder)
        }
    }

    /// Returns a queue on a file with a write-ahead log, and with the tables of ``Schema``.
    private func fileQueue(in folder: TemporaryFolder) throws -> DatabaseQueue {
        var configuration = try library.configuration()
        configuration.journalMode = .wal
        configuration.prepareDatabase { db in try db.execute(sql: Schema.synchronous) }
        let dbQueue = try DatabaseQueue(path: folder.databasePath, configuration: configuration)
        try dbQueue.write { db in try db.execute(sql: Schema.script) }
        return dbQueue
    }

    /// Returns a pool of five readers on a file with the tables of ``Schema``.
    func filePool(in folder: TemporaryFolder, observingForeignWrites: Bool = false) throws -> DatabasePool {
        var configuration = try library.configuration()
        configuration.maximumReaderCount = 5
        configuration.prepareDatabase { db in try db.execute(sql: Schema.synchronous) }
        if observingForeignWrites { library.observeForeignWrites(&configuration) }
        let dbPool = try DatabasePool(path: folder.databasePath, configuration: configuration)
        try dbPool.write { db in try db.execute(sql: Schema.script) }
        return dbPool
    }
}

extension ObservedWorkload {
    /// Measures an operation, which receives the number of its previous runs.
    func measureOperations(
        _ request: RoundRequest, _ operation: (Int) throws -> Void
    ) rethrows -> RoundResult {
        let warmUp = try TimedLoop.warmUp(request.effort, operation: operation)
        let loop = try TimedLoop(request.effort, after: warmUp, operation: operation)
        return RoundResult(value: loop.nanoseconds, operations: loop.operations, latencies: loop.latencies)
    }
}

extension Database {
    /// Runs a cached statement that writes.
    func run(_ sql: String, _ first: Int64, _ second: Int64) throws {
        try cachedStatement(sql: sql).execute(arguments: [first, second])
    }

    /// Returns the integer that a cached query with one argument fetches.
    func integer(_ sql: String, _ argument: Int64) throws -> Int64? {
        try Int64.fetchOne(cachedStatement(sql: sql), arguments: [argument])
    }
}
