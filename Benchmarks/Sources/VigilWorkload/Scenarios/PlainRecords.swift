import BenchmarkReport
import BenchmarkWork

#if GRDB
    import GRDB
#else
    import Vigil
#endif

/// A row of `player`, as an application would declare it.
struct Player: Codable, FetchableRecord, MutablePersistableRecord {
    var id: Int64?
    var name: String
    var team: Int64
    var score: Int64

    static let databaseTableName = "player"

    mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
}

extension ObservedWorkload {
    func plainInsert(_ request: RoundRequest) throws -> RoundResult {
        let dbQueue = try memoryQueue()
        return try measureOperations(request) { number in
            var player = Player(name: "new player", team: Int64(number % Schema.teams), score: Int64(number))
            try dbQueue.write { db in try player.insert(db) }
            guard player.id != nil else { throw WorkError("the inserted player has no id") }
        }
    }

    func plainUpdate(_ request: RoundRequest) throws -> RoundResult {
        let dbQueue = try memoryQueue()
        var players = try dbQueue.read { db in try Player.order(Column("id")).limit(1_000).fetchAll(db) }
        let count = players.count
        return try measureOperations(request) { number in
            players[number % count].score += 1
            try dbQueue.write { db in try players[number % count].update(db) }
        }
    }

    func plainFetch(_ request: RoundRequest) throws -> RoundResult {
        let dbQueue = try memoryQueue()
        return try measureOperations(request) { number in
            let id = Int64(number % Schema.players + 1)
            let player = try dbQueue.read { db in try Player.fetchOne(db, key: id) }
            guard player?.id == id else { throw WorkError("no player \(id)") }
        }
    }

    func plainFetchAll(_ request: RoundRequest) throws -> RoundResult {
        let dbQueue = try memoryQueue()
        let count = request.n
        return try measureOperations(request) { _ in
            let players = try dbQueue.read { db in
                try Player.filter(Column("id") <= count).fetchAll(db)
            }
            guard players.count == count else { throw WorkError("fetched \(players.count) of \(count)") }
        }
    }
}
