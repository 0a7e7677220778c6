import Vigil

struct Team: Sendable, Equatable {
    var name: String
    var points: Int
}

/// The database of a league, which contains its teams.
struct League {
    let database: DatabasePool

    /// Opens the database file, and creates it if necessary.
    init(path: String) throws {
        var configuration = Configuration()
        configuration.foreignChanges = .observed  // games are played in other processes
        configuration.busyMode = .timeout(5)
        database = try DatabasePool(path: path, configuration: configuration)
        try database.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE IF NOT EXISTS team (
                        name TEXT PRIMARY KEY, points INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID;
                    INSERT OR IGNORE INTO team (name) VALUES ('Hawks'), ('Owls'), ('Ravens'), ('Storks');
                    """)
        }
    }

    /// An observation of the teams, the best first. It does not deliver a value that equals the previous one.
    var bestTeams: ValueObservation<ValueReducers.RemoveDuplicates<ValueReducers.Fetch<[Team]>>> {
        ValueObservation.tracking { db in
            try Row.fetchAll(db, sql: "SELECT name, points FROM team ORDER BY points DESC, name")
                .map { Team(name: $0["name"], points: $0["points"]) }
        }.removeDuplicates()
    }

    /// Plays a game between two random teams: three points for the winner, or one point each.
    func playGame(using generator: some RandomNumberGenerator & Sendable) async throws {
        try await database.write { db in
            var generator = generator
            let teams = try String.fetchAll(db, sql: "SELECT name FROM team").shuffled(using: &generator)
            let points = [(3, 0), (1, 1)].randomElement(using: &generator) ?? (1, 1)
            let sql = "UPDATE team SET points = points + ? WHERE name = ?"
            try db.execute(sql: sql, arguments: [points.0, teams[0]])
            try db.execute(sql: sql, arguments: [points.1, teams[1]])
        }
    }
}
