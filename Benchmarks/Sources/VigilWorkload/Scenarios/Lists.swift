import BenchmarkReport
import BenchmarkWork

#if GRDB
    import GRDB
#else
    import Vigil
#endif

/// A row of the table `listed`.
struct ListedRow: FetchableRecord, Sendable, Equatable {
    let id: Int64
    let name: String
    let score: Int64

    init(row: Row) {
        id = row[0]
        name = row[1]
        score = row[2]
    }
}

extension ObservedWorkload {
    func listedQueue(_ request: RoundRequest) throws -> DatabaseQueue {
        let dbQueue = try DatabaseQueue(configuration: library.configuration())
        try dbQueue.write { db in try db.execute(sql: Schema.listed(request.n)) }
        return dbQueue
    }

    /// Measures writes to one row of a list of all rows.
    func listWrites(_ request: RoundRequest, _ sql: String) throws -> RoundResult {
        let dbQueue = try listedQueue(request)
        let observers = Observers()
        observers.start(library.rows(Schema.selectListed, [], observers.activity), in: dbQueue)
        try observers.waitForInitialValues()
        let count = Int64(request.n)
        return try measureWrites(request, dbQueue, observers, callbacks: 1) { db, number in
            try db.run(sql, number + 1, Schema.listedKey(number, of: count))
        }
    }

    /// Measures writes to a row of one of n lists.
    func listMany(_ request: RoundRequest) throws -> RoundResult {
        let dbQueue = try memoryQueue()
        let observers = Observers()
        for team in 1...Int64(request.n) {
            observers.start(library.rows(Schema.selectTeamRows, [team], observers.activity), in: dbQueue)
        }
        try observers.waitForInitialValues()
        let count = Int64(request.n)
        return try measureWrites(request, dbQueue, observers, callbacks: 1) { db, number in
            // A player with the number of a team belongs to that team.
            try db.run(Schema.updatePlayer, number + 1, number % count + 1)
        }
    }

    /// Measures writes to a row of n equal lists.
    func listEqual(_ request: RoundRequest) throws -> RoundResult {
        let dbQueue = try memoryQueue()
        let observers = Observers()
        for _ in 1...request.n {
            observers.start(library.rows(Schema.selectTeamRows, [1], observers.activity), in: dbQueue)
        }
        try observers.waitForInitialValues()
        return try measureWrites(request, dbQueue, observers, callbacks: request.n) { db, number in
            try db.run(Schema.updatePlayer, number + 1, 1)
        }
    }

    /// Measures transactions that change 10,000 rows of a list of all rows.
    func listBulk(_ request: RoundRequest) throws -> RoundResult {
        let dbQueue = try listedQueue(request)
        let observers = Observers()
        observers.start(library.rows(Schema.selectListed, [], observers.activity), in: dbQueue)
        try observers.waitForInitialValues()
        return try measureWrites(request, dbQueue, observers, callbacks: 1) { db, number in
            try db.run(Schema.renameManyListed, number + 1, 10_000)
        }
    }

    /// Measures the time from the start of an observation to its first value, and beside it an observation of
    /// an array.
    ///
    /// Must be called on the main thread, as immediate scheduling requires.
    func listStart(_ request: RoundRequest) throws -> RoundResult {
        try MainActor.assumeIsolated {
            let dbQueue = try listedQueue(request)
            var (lists, arrays): ([Double], [Double]) = ([], [])
            for round in 0..<(request.effort.isQuick ? 2 : 9) {
                let list = try firstValue(library.rows(Schema.selectListed, [], Activity()), in: dbQueue)
                let array = try firstValue(
                    library.observation { db in try ListedRow.fetchAll(db, sql: Schema.selectListed) },
                    in: dbQueue)
                guard round > 0 else { continue }
                lists.append(list)
                arrays.append(array)
            }
            let (list, array) = (median(lists) ?? 0, median(arrays) ?? 0)
            return RoundResult(
                value: list, operations: lists.count,
                metrics: ["ns with trackingAll": array, Metric.timesTrackingAll: list / max(array, 1)])
        }
    }

    @MainActor func firstValue<Reducer: ValueReducer>(
        _ observation: ValueObservation<Reducer>, in dbQueue: DatabaseQueue
    ) throws -> Double where Reducer.Value: Collection & Sendable {
        let start = now()
        var time: Int64 = 0
        let cancellable = observation.start(in: dbQueue, scheduling: .immediate) { error in
            preconditionFailure("\(error)")
        } onChange: { rows in
            if time == 0, !rows.isEmpty { time = now() - start }
        }
        cancellable.cancel()
        return Double(time)
    }
}
