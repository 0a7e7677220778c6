import VigilEngine
import VigilStorage

/// The tables with the identifiers of the applied migrations.
///
/// The database of an app based on GRDB has a table `grdb_migrations`. Its identifiers count as applied. As
/// long as this table exists, applied migrations are recorded in both tables, so the app can return to GRDB.
enum AppliedMigrations {
    static let table = "vigil_migrations"
    static let grdbTable = "grdb_migrations"

    /// Returns the identifiers of all applied migrations, including unregistered ones.
    static func identifiers(_ db: Database) throws -> Set<String> {
        try existingTables(db).reduce(into: []) { identifiers, table in
            identifiers.formUnion(try self.identifiers(db, in: table))
        }
    }

    /// Creates the table, and copies the identifiers of the adopted one. Does not write if both are done.
    static func prepare(_ db: Database) throws {
        let tables = try existingTables(db)
        if tables == [table] { return }
        if tables.count == 2 {
            let adopted = try identifiers(db, in: grdbTable)
            if try adopted.isSubset(of: identifiers(db, in: table)) { return }
        }
        try db.inTransaction(.immediate) {
            try create(table, db)
            if tables.contains(grdbTable) {
                let (insert, suffix) = try insertion(db)
                try db.execute(
                    sql: """
                        \(insert) INTO \(name(table, db)) (identifier)
                        SELECT identifier FROM \(name(grdbTable, db))\(suffix)
                        """)
            }
            return .commit
        }
    }

    /// Records an applied migration, and removes the identifiers of the migrations replaced by it.
    static func record(_ migration: Migration, _ db: Database) throws {
        for table in try existingTables(db) {
            for merged in migration.mergedIdentifiers {
                try db.execute(
                    sql: "DELETE FROM \(name(table, db)) WHERE identifier = ?", arguments: [merged])
            }
            let (insert, suffix) = try insertion(db)
            try db.execute(
                sql: "\(insert) INTO \(name(table, db)) (identifier) VALUES (?)\(suffix)",
                arguments: [migration.identifier])
        }
    }

    /// Erases the database. Recreates an adopted table without rows, so the app can still return to GRDB.
    static func eraseDatabase(_ db: Database) throws {
        let hasGRDBTable = try existingTables(db).contains(grdbTable)
        try db.erase()
        if hasGRDBTable { try create(grdbTable, db) }
    }

    /// Returns whether a table is one of these tables.
    static func contains(_ tableName: String) -> Bool {
        [table, grdbTable].contains { $0.isSameName(as: tableName) }
    }

    /// Returns the existing tables. Tables of the same name in attached databases are ignored.
    private static func existingTables(_ db: Database) throws -> [String] {
        try [table, grdbTable].filter { try db.tableExists($0, in: SchemaNaming.main) }
    }

    private static func name(_ table: String, _ db: Database) -> String {
        "\(db.mainSchema.quotedSQLName).\(table)"
    }

    /// Returns the words of an INSERT skipping existing identifiers, and the text after it.
    private static func insertion(_ db: Database) throws -> (verb: String, suffix: String) {
        try Database.ConflictResolution.ignore.insertion(db.dialect.conflictResolution)
    }

    private static func identifiers(_ db: Database, in table: String) throws -> Set<String> {
        try String.fetchSet(db, sql: "SELECT identifier FROM \(name(table, db))")
    }

    private static func create(_ table: String, _ db: Database) throws {
        try db.execute(
            sql: "CREATE TABLE IF NOT EXISTS \(name(table, db)) (identifier TEXT NOT NULL PRIMARY KEY)")
    }
}
