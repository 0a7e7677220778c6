import BenchmarkReport
import BenchmarkWork

#if GRDB
    import GRDB
#else
    import Vigil
#endif

extension ObservedWorkload {
    /// Runs a scenario of a server.
    func server(_ request: RoundRequest) throws -> RoundResult {
        #if GRDB
            throw Absence("it has no servers")
        #elseif !PostgreSQL
            throw Absence("the benchmarks were built without the trait PostgreSQL")
        #else
            guard library.measuresServers else {
                throw Absence("a server does not depend on the library of files")
            }
            return switch request.scenario {
            case .serverWrite: try serverWrite(request)
            case .serverInsert: try serverInsert(request)
            case .serverRead: try serverRead(request)
            case .serverRows: try serverRows(request) { try sumOfRows($0) }
            case .serverRecords: try serverRows(request) { try sumOfRecords($0) }
            case .serverFirstRow: try serverFirstRow(request)
            case .serverObserve: try serverObserve(request)
            case .serverMatch: try serverMatch(request)
            default: try serverLatency(request)
            }
        #endif
    }
}

#if PostgreSQL && !GRDB
    extension ObservedWorkload {
        /// Opens a pool on a new schema, and measures an operation with it.
        private func measure(
            _ request: RoundRequest, _ script: String, _ operation: (DatabasePool, Int) throws -> Void
        ) throws -> RoundResult {
            try ServerSchema.with(script) { address in
                let dbPool = try DatabasePool(server: address)
                return try measureOperations(request) { number in try operation(dbPool, number) }
            }
        }

        private func serverWrite(_ request: RoundRequest) throws -> RoundResult {
            let script = Schema.serverScript + Schema.furtherTables(request.n)
            return try measure(request, script) { dbPool, number in
                let id = number % Schema.serverPlayers + 1
                try dbPool.write { db in
                    try db.execute(sql: Schema.updatePlayer, arguments: [number, id])
                }
            }
        }

        private func serverInsert(_ request: RoundRequest) throws -> RoundResult {
            try measure(request, Schema.serverScript) { dbPool, number in
                var player = Player(name: "new player", team: Int64(number), score: Int64(number))
                try dbPool.write { db in try player.insert(db) }
                guard player.id != nil else { throw WorkError("the inserted player has no id") }
            }
        }

        private func serverRead(_ request: RoundRequest) throws -> RoundResult {
            try measure(request, Schema.serverScript) { dbPool, number in
                let id = number % Schema.serverPlayers + 1
                let score = try dbPool.read { db in
                    try Int64.fetchOne(db, sql: Schema.selectPlayer, arguments: [id])
                }
                guard score == 0 else { throw WorkError("no player \(id)") }
            }
        }

        private func serverRows(
            _ request: RoundRequest, _ read: (Database) throws -> Int64
        ) throws -> RoundResult {
            try ServerSchema.with(Schema.serverRows(request.n)) { address in
                let dbPool = try DatabasePool(server: address)
                return try ReadingRounds(rows: request.n) { try dbPool.read(read) }.result
            }
        }

        private func serverFirstRow(_ request: RoundRequest) throws -> RoundResult {
            try ServerSchema.with(Schema.serverRows(request.n)) { address in
                let dbPool = try DatabasePool(server: address)
                // The time and the memory of a connection are not part of the figures.
                guard try dbPool.read({ db in try Int64.fetchOne(db, sql: "SELECT 1") }) == 1 else {
                    throw WorkError("no row")
                }
                return try FirstRowRounds { didReadRow in
                    try dbPool.read { db in
                        let rows = try Row.fetchCursor(db, sql: Schema.selectRecords)
                        guard let row = try rows.next(), (row[0] as Int64) > 0 else {
                            throw WorkError("no row")
                        }
                        didReadRow()
                    }
                }.result
            }
        }
    }
#endif
