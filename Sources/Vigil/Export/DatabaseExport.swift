import VigilEngine
import VigilSQLite
import VigilStorage

/// One export of a database to a file.
struct DatabaseExport {
    let path: String
    let configuration: Configuration
    let replacesFile: Bool
    /// Whether the export replaces the locked file of the database itself.
    var isConversion = false
    var usesLog = false
    let progress: ((DatabaseExportProgress) throws -> Void)?
    var cancellation: ExportCancellation?

    /// Exports the state of the open transaction.
    func run(from source: Database) throws {
        guard isConversion || !source.hasMainFile(path) else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message:
                    "a database cannot be exported to its own file: use DatabaseQueue.convert(_:from:to:)")
        }
        let file = try ExportFile(path: path, replacesFile: replacesFile)
        do {
            let rowCount = try write(file.temporaryPath, from: source)
            try check(file.temporaryPath, against: source)
            try cancellation?.check()
            try file.commit()
            try? progress?(
                DatabaseExportProgress(
                    tableName: nil, completedRowCount: rowCount, totalRowCount: rowCount, isCompleted: true))
        } catch {
            file.discard()
            throw error
        }
    }

    private var fileConfiguration: Configuration {
        var configuration = configuration
        configuration.readonly = false
        configuration.foreignChanges = .ignored
        configuration.journalMode = .default
        return configuration
    }

    private func write(_ temporaryPath: String, from source: Database) throws -> Int {
        let destination = try DatabaseQueue(path: temporaryPath, configuration: fileConfiguration)
        cancellation?.setDestination(destination)
        defer { cancellation?.setDestination(nil) }
        let count: Int
        do {
            count = try destination.inDatabase { db in
                // The file gets its name once it is complete: no journal needs to survive a crash.
                try db.execute(sql: "PRAGMA main.journal_mode = MEMORY")
                var copier = DatabaseCopier(
                    source: source, destination: db, progress: progress, cancellation: cancellation)
                try copier.copy()
                if usesLog || configuration.journalMode == .wal {
                    try db.execute(sql: "PRAGMA main.journal_mode = WAL")
                }
                return copier.completedRowCount
            }
        } catch {
            try? destination.close()
            throw error
        }
        try destination.close()
        return count
    }

    /// Opens the new file once, and checks its schema.
    private func check(_ temporaryPath: String, against source: Database) throws {
        let destination = try DatabaseQueue(path: temporaryPath, configuration: fileConfiguration)
        let count = try destination.inDatabase { try $0.objectCount() }
        try destination.close()
        guard try count == source.objectCount() else {
            throw DatabaseError(
                resultCode: .SQLITE_INTERNAL, message: "the exported schema differs from that of the database"
            )
        }
    }
}

extension Database {
    /// Returns the number of objects in the main database, except the library's own.
    fileprivate func objectCount() throws -> Int {
        try String.fetchAll(self, sql: "SELECT name FROM sqlite_master")
            .count { !TableName(name: $0).isOfLibrary }
    }

    /// Detaches all databases attached by the configuration.
    func detachDatabases() throws {
        let names = try String.fetchAll(
            self, sql: "PRAGMA database_list", adapter: RangeRowAdapter(1..<2))
        for name in names where !name.isSameName(as: "main") && !name.isSameName(as: "temp") {
            try execute(sql: "DETACH \(name.quotedDatabaseIdentifier)")
        }
    }

    /// Returns whether the main database is stored in the file at a path.
    fileprivate func hasMainFile(_ path: String) -> Bool {
        guard
            let own = try? String.fetchOne(
                self, sql: "PRAGMA database_list", adapter: RangeRowAdapter(2..<3)), !own.isEmpty
        else { return false }
        return FileIdentity(path: own).map { $0 == FileIdentity(path: path) } ?? false
    }
}
