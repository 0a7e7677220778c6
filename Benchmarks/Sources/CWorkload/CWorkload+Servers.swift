import BenchmarkReport
import BenchmarkWork

extension CWorkload {
    /// Runs a scenario of a server with libpq, with a prepared statement.
    func server(_ request: RoundRequest) throws -> RoundResult {
        #if PostgreSQL
            return switch request.scenario {
            case .serverWrite:
                try measure(
                    request, Schema.serverScript + Schema.furtherTables(request.n),
                    "UPDATE player SET score = $1 WHERE id = $2"
                ) { server, number in
                    _ = try server.transaction("BEGIN", number, number % Int64(Schema.serverPlayers) + 1)
                }
            case .serverInsert:
                try measure(
                    request, Schema.serverScript,
                    "INSERT INTO player(name, team, score) VALUES ('new player', $1, $2) RETURNING id"
                ) { server, number in
                    let id = try server.transaction("BEGIN", number, number)
                    guard id > 0 else { throw WorkError("the inserted player has no id") }
                }
            case .serverRead:
                try measure(request, Schema.serverScript, "SELECT score FROM player WHERE id = $1") {
                    _ = try $0.transaction(Schema.beginReading, $1 % Int64(Schema.serverPlayers) + 1)
                }
            case .serverRows, .serverRecords: try serverRows(request)
            case .serverFirstRow: try serverFirstRow(request)
            default: throw Absence("the C library has no observations")
            }
        #else
            throw Absence("the benchmarks were built without the trait PostgreSQL")
        #endif
    }

    #if PostgreSQL
        private func measure(
            _ request: RoundRequest, _ script: String, _ sql: String,
            _ operation: (ReferenceServer, Int64) throws -> Void
        ) throws -> RoundResult {
            try ServerSchema.with(script) { address in
                let server = try ReferenceServer(address: address, statement: sql)
                func next(_ number: Int) throws { try operation(server, Int64(number)) }
                let warmUp = try TimedLoop.warmUp(request.effort, operation: next)
                let loop = try TimedLoop(request.effort, after: warmUp, operation: next)
                return RoundResult(
                    value: loop.nanoseconds, operations: loop.operations, latencies: loop.latencies)
            }
        }

        private func serverRows(_ request: RoundRequest) throws -> RoundResult {
            try ServerSchema.with(Schema.serverRows(request.n)) { address in
                let server = try ReferenceServer(address: address, statement: Schema.selectRecords)
                return try ReadingRounds(rows: request.n) {
                    try server.readRows(Schema.beginReading)
                }.result
            }
        }

        private func serverFirstRow(_ request: RoundRequest) throws -> RoundResult {
            try ServerSchema.with(Schema.serverRows(request.n)) { address in
                let server = try ReferenceServer(address: address, statement: Schema.selectRecords)
                return try FirstRowRounds { didReadRow in
                    try server.readFirstRow(Schema.beginReading, didReadRow)
                }.result
            }
        }
    #endif
}
