import Vigil

/// Opens the database of runs.
enum RunDatabase {
    /// Opens and migrates the database file, and creates it if necessary.
    static func open(path: String) throws -> DatabasePool {
        var configuration = Configuration()
        configuration.foreignChanges = .observed  // other processes log runs too
        configuration.busyMode = .timeout(5)
        let database = try DatabasePool(path: path, configuration: configuration)
        try migrator.migrate(database)
        return database
    }

    private static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("createRuns") { db in
            // The checks apply to all writers, including those that do not validate a form.
            try db.execute(
                sql: """
                    CREATE TABLE run (
                        id INTEGER PRIMARY KEY,
                        runner TEXT NOT NULL CHECK (length(runner) BETWEEN 1 AND 200),
                        meters INTEGER NOT NULL CHECK (meters BETWEEN 100 AND 500000),
                        date TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP
                    ) STRICT;
                    CREATE INDEX runOnRunner ON run(runner, meters);
                    """)
        }
        return migrator
    }

    /// Inserts some runs of the last three days if there are none.
    static func insertSamples(_ database: some DatabaseWriter) async throws {
        let runners = ["Ada", "Barbara", "Edgar", "Grace", "Hedy", "Katherine", "Margaret", "Radia"]
        try await database.write { db in
            guard try Run.fetchCount(db) == 0 else { return }
            for number in 0..<24 {
                let runner = runners[number * 5 % runners.count]
                let meters = 3_000 + number * 7_919 % 11_500
                let age = "-\((24 - number) * 173) minutes"
                try db.execute(
                    literal: """
                        INSERT INTO run (runner, meters, date)
                        VALUES (\(runner), \(meters), datetime('now', \(age)))
                        """)
            }
        }
    }
}
