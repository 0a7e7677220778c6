import Foundation
import Vigil

/// A database of notes.
struct Notebook: Sendable {
    let database: DatabasePool

    /// Opens and migrates the database file, and creates it if necessary.
    ///
    /// - Parameter passphrase: the passphrase of an encrypted database; `nil` for a plain one.
    init(path: String, passphrase: String?) throws {
        var configuration = Configuration()
        configuration.foreignChanges = .observed  // `watch` prints what other processes write
        if let passphrase { configuration.backend = SQLCipherBackend(key: .passphrase(passphrase)) }
        var migrator = Self.migrator
        #if DEBUG
            migrator.eraseDatabaseOnSchemaChange = true
        #endif
        try self.init(DatabasePool(path: path, configuration: configuration), migrator)
    }

    #if PostgreSQL
        /// Opens and migrates a database on a server. Everything else is the same as for a file.
        init(server: String) throws {
            try self.init(DatabasePool(server: server), Self.migrator)
        }
    #endif

    private init(_ database: DatabasePool, _ migrator: DatabaseMigrator) throws {
        self.database = database
        try migrator.migrate(database)
    }

    private static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("createNotes") { db in
            try db.create(table: "note") { t in
                t.autoIncrementedPrimaryKey("id")
                t.column("title", .text).notNull()
                t.column("text", .text).notNull()
                t.column("modifiedAt", .datetime).notNull().indexed()
            }
        }
        migrator.registerMigration("addPins") { db in
            try db.alter(table: "note") { t in
                t.add(column: "isPinned", .boolean).notNull().defaults(to: false)
            }
        }
        return migrator
    }

    // MARK: - Writing

    func add(title: String, text: String) throws -> Note {
        try database.write { db in
            var note = Note(title: title, text: text, modifiedAt: try db.transactionDate)
            try note.insert(db)
            return note
        }
    }

    func setPinned(_ isPinned: Bool, _ id: Int64) throws {
        try database.write { db in
            var note = try Note.find(db, key: id)
            try note.updateChanges(db) { $0.isPinned = isPinned }
        }
    }

    /// Removes a note, and returns whether it existed.
    func remove(_ id: Int64) throws -> Bool {
        try database.write { db in try Note.deleteOne(db, key: id) }
    }

    // MARK: - Reading

    func notes(containing word: String?) throws -> [Note] {
        try database.read { db in
            try (word.map(Note.containing) ?? Note.list()).fetchAll(db)
        }
    }

    /// The list of notes, and the new list after each change.
    var notes: AsyncValueObservation<[Note]> {
        ValueObservation.tracking(Note.list().fetchAll).removeDuplicates().values(in: database)
    }
}
