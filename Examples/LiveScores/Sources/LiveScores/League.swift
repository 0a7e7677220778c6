import Vigil

struct Team: Sendable, Equatable {
    var name: String
    var points: Int
}

/// The database: what is kept in it, what is read from it, how it changes.
struct League {
    let database: DatabasePool

    /// Opens the file, and makes it if need be.
    init(path: String) throws {
        var configuration = Configuration()
        configuration.foreignChanges = .observed  // others play in processes of their own
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

    /// The teams, the best first. A commit that leaves them as they are tells nothing.
    var bestTeams: ValueObservation<ValueReducers.RemoveDuplicates<ValueReducers.Fetch<[Team]>>> {
        ValueObservation.tracking { db in
            try Row.fetchAll(db, sql: "SELECT name, points FROM team ORDER BY points DESC, name")
                .map { Team(name: $0["name"], points: $0["points"]) }
        }.removeDuplicates()
    }

    /// Three points for the winner, or one for each.
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
