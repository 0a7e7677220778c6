import BenchmarkReport
import BenchmarkWork

#if GRDB
    import GRDB
#else
    import Vigil
#endif

extension ObservedWorkload {
    func requestBuild(_ request: RoundRequest) throws -> RoundResult {
        let dbQueue = try memoryQueue()
        return try dbQueue.read { db in
            let sql = try bestPlayers(ofTeam: 1).makePreparedRequest(db).statement.sql
            let building = try measure(request) { number in
                _ = try bestPlayers(ofTeam: Int64(number)).makePreparedRequest(db).statement
            }
            let preparing = try measure(request) { number in
                let statement = try db.cachedStatement(sql: sql)
                try statement.setArguments([Int64(number), 0])
            }
            let difference = building.nanoseconds - preparing.nanoseconds
            return RoundResult(
                value: max(difference, 0), operations: building.operations, latencies: building.latencies,
                metrics: ["ns per prepared statement": preparing.nanoseconds])
        }
    }

    private func measure(_ request: RoundRequest, _ operation: (Int) throws -> Void) rethrows -> TimedLoop {
        let warmUp = try TimedLoop.warmUp(request.effort, operation: operation)
        return try TimedLoop(request.effort, after: warmUp, operation: operation)
    }
}

private func bestPlayers(ofTeam team: Int64) -> QueryInterfaceRequest<Row> {
    Table("player")
        .filter(Column("team") == team && Column("score") >= 0)
        .order(Column("score").desc, Column("name"))
        .limit(10)
}
