#if PostgreSQL
    import Foundation
    import Vigil

    struct Team: Codable, Equatable, Identifiable, FetchableRecord, MutablePersistableRecord {
        static let players = hasMany(Player.self)
        var id: Int64?
        var name: String
        var city: String?

        mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
    }

    struct Player: Codable, Equatable, Identifiable, FetchableRecord, MutablePersistableRecord {
        static let team = belongsTo(Team.self)
        var id: Int64?
        var teamId: Int64?
        var name: String
        var score: Int
        var rating: Double?
        var isActive: Bool
        var joined: Date?

        mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
    }

    struct TeamInfo: Decodable, FetchableRecord {
        var team: Team
        var players: [Player]
    }

    struct PlayerInfo: Decodable, FetchableRecord {
        var player: Player
        var team: Team?
    }

    /// The tables of teams and players, and some rows.
    enum League {
        static func createTables(_ db: Database) throws {
            try db.create(table: "team") { t in
                t.autoIncrementedPrimaryKey("id")
                t.column("name", .text).notNull().unique()
                t.column("city", .text)
            }
            try db.create(table: "player") { t in
                t.autoIncrementedPrimaryKey("id")
                t.belongsTo("team", onDelete: .cascade)
                t.column("name", .text).notNull()
                t.column("score", .integer).notNull().defaults(to: 0)
                t.column("rating", .double)
                t.column("isActive", .boolean).notNull().defaults(to: true)
                t.column("joined", .datetime)
            }
        }

        static func insertRows(_ db: Database) throws {
            var teams = [
                Team(name: "Reds", city: "Rome"), Team(name: "Blues", city: nil),
                Team(name: "Greens", city: "Oslo"),
            ]
            for index in teams.indices { try teams[index].insert(db) }
            let rows: [(Int?, String, Int, Double?, Bool)] = [
                (0, "Arthur", 100, 1.5, true), (0, "Barbara", 250, nil, false), (1, "Craig", 100, 2.25, true),
                (nil, "Élodie", -3, 4, true), (0, "Zoé_100%", 7, nil, true),
            ]
            for (index, row) in rows.enumerated() {
                var player = Player(
                    teamId: row.0.flatMap { teams[$0].id }, name: row.1, score: row.2, rating: row.3,
                    isActive: row.4, joined: Date(timeIntervalSince1970: 1_700_000_000.125 + Double(index)))
                try player.insert(db)
            }
        }
    }
#endif
