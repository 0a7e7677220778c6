import BenchmarkReport
import BenchmarkWork

extension CWorkload {
    /// Runs a plain scenario with prepared statements. A queue and a pool on a file differ only in other
    /// engines.
    func plain(_ request: RoundRequest) throws -> RoundResult {
        switch request.scenario {
        case .plainWriteMemory: try writes(request, Schema.updateNote, nil, rows: Schema.notes)
        case .plainWriteQueue, .plainWritePool:
            try writes(request, Schema.updateNote, nil, rows: Schema.notes, in: .queue)
        case .plainReadMemory: try reads(request, Schema.selectNote, in: .memory) { $0.sum($1) }
        case .plainReadQueue, .plainReadPool:
            try reads(request, Schema.selectNote, in: .queue) { $0.sum($1) }
        case .oneObservationMemorySQL, .oneObservationMemoryRecord:
            try writes(request, Schema.updatePlayer, Schema.selectPlayer, rows: 1)
        case .plainRecordsInsert:
            try writes(
                request, "INSERT INTO player(name, team, score) VALUES ('new player', ?, ?)", nil,
                rows: Schema.teams)
        case .plainRecordsUpdate:
            try writes(
                request, "UPDATE player SET name = name, team = team, score = ? WHERE id = ?", nil,
                rows: 1_000)
        case .plainRecordsFetch:
            try reads(
                request, "SELECT id, name, score, team, NULL FROM player WHERE id = ?", in: .memory
            ) { $0.record($1) }
        case .plainRecordsFetchAll: throw Absence("decode-records compares with the C library")
        default: try writes(request, Schema.updatePlayer, Schema.selectPlayer, rows: 1, in: .queue)
        }
    }

    private func reads(
        _ request: RoundRequest, _ sql: String, in place: Place,
        _ read: (ReferenceStatement, Int64) -> Int64
    ) throws -> RoundResult {
        let folder = try TemporaryFolder()
        let query = try connection(place, in: folder).prepare(sql)
        var sum: Int64 = 0
        func next(_ number: Int) { sum &+= read(query, Int64(number % Schema.notes) + 1) }
        let warmUp = TimedLoop.warmUp(request.effort, operation: next)
        let loop = TimedLoop(request.effort, after: warmUp, operation: next)
        guard sum >= 0 else { throw WorkError("a row is missing") }
        return RoundResult(value: loop.nanoseconds, operations: loop.operations, latencies: loop.latencies)
    }
}
