import CReference
import Vigil

/// Transactions that write one row each, and queries that read one row each, in memory and without observation.
func measurePlayers(rounds: Int, count: Int) throws {
    guard let players = reference_players_open() else {
        throw Comparison.Disagreement(description: "the C library cannot open a database in memory")
    }
    defer { reference_players_close(players) }
    let dbQueue = try DatabaseQueue()
    try dbQueue.write { db in
        try db.execute(
            sql: """
                CREATE TABLE player(id INTEGER PRIMARY KEY, score INTEGER);
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
                INSERT INTO player SELECT i, i FROM n
                """)
    }
    var next = 0
    try Comparison(name: "one-row transactions", rounds: rounds) {
        Int64(reference_players_write(players, Int32(count)))
    } vigil: {
        for _ in 0..<count {
            let number = next
            next += 1
            try dbQueue.write { db in
                try db.cachedStatement(sql: "UPDATE player SET score = ? WHERE id = ?")
                    .execute(arguments: [number, number % 10_000 + 1])
            }
        }
        return 0
    }.run(per: count, unit: "transaction")
    try Comparison(name: "one-row queries", rounds: rounds) {
        reference_players_read(players, Int32(count))
    } vigil: {
        try dbQueue.inDatabase { db in
            var sum: Int64 = 0
            for index in 0..<count {
                let statement = try db.cachedStatement(sql: "SELECT score FROM player WHERE id = ?")
                sum &+= try Int64.fetchOne(statement, arguments: [index % 10_000 + 1]) ?? 0
            }
            return sum
        }
    }.run(per: count, unit: "query")
}
