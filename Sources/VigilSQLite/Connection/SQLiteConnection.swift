import CVigilSQLite
package import VigilStorage

/// A connection through a library of the SQLite family.
///
/// Must be used by one thread at a time: the library uses no mutex of its own (`SQLITE_OPEN_NOMUTEX`).
package final class SQLiteConnection: EmbeddedConnection {
    package let library: SQLiteLibrary
    package private(set) var capabilities: StorageCapabilities
    package let interrupter: any StorageInterrupter
    let options: StorageOptions
    /// Whether the database is in memory, and cannot be shared with other connections.
    let isPrivate: Bool
    /// The path of the file, as given by the program.
    let givenPath: String?
    /// Whether the database is in memory, and shared with other connections by its name.
    var sharesCache: Bool { !isPrivate && givenPath == nil }
    /// The library's handle; `nil` once the connection is closed.
    private(set) var handle: OpaquePointer?
    let api: UnsafePointer<vigil_sqlite_api>
    /// The last backup into this database, while it exists.
    weak var incomingBackup: SQLiteBackup?
    /// The recorder of the authorizer's calls. It is replaced while the driver runs its own statements.
    var recorder = AccessRecorder()
    /// The possible schemas besides `main`.
    var schemas = SchemaPresence()
    var runsInternalStatement = false
    let reporter: ChangeReporter
    let busyWaiter: BusyWaiter
    var ownStatements = OwnStatements()
    var journal: JournalFiles
    var conditionSchema = ConditionSchema()
    @exclusivity(unchecked)  // bench: unrelated-writes
    var virtualTableReads = VirtualTableReads()
    var collations = CollationTrust()
    package internal(set) var functionRevision = 0
    @exclusivity(unchecked)  // bench: unrelated-writes
    var libraryFunctions = LibraryFunctions()
    /// The parts of the schema reached by the statement being compiled or run, if the file is not trusted.
    var reachedSchema: ReachedSchema?
    /// The entry points of FTS5, once they are needed.
    var fullTextEntryPoints: UnsafeMutablePointer<vigil_fts5_api>?
    /// The tracer, retained while the library uses it.
    var tracer: StatementTracer?
    package var encryption = EncryptionState()
    /// Whether the file may not have been read yet.
    package private(set) var isOpening = true
    private var hasFinishedOpening = false
    var forcedRollbacks = ForcedRollbacks()

    /// Opens a connection. With ``StorageOptions/isPreparedBeforeUse``, ``finishOpening()`` completes it.
    ///
    /// - Parameter unlock: prepares the connection before the file is first read, such as by setting the key.
    package init(
        library: SQLiteLibrary, location: StorageLocation, options: StorageOptions,
        unlock: (SQLiteConnection) throws(StorageError) -> Void = { _ in }
    ) throws(StorageError) {
        self.library = library
        self.options = options
        if case .memory(nil) = location { isPrivate = true } else { isPrivate = false }
        if case .file(let path) = location { givenPath = path } else { givenPath = nil }
        api = library.api
        let handle: OpaquePointer
        do {
            (handle, journal) = try Self.openHandle(
                library: library, location: location, options: options)
        } catch {
            // A deleted file cannot be opened again.
            try options.requiredFile?.checkIsInPlace()
            throw error
        }
        self.handle = handle
        let interrupter = SQLiteInterrupter(library: library, handle: handle)
        self.interrupter = interrupter
        reporter = ChangeReporter(api: library.api)
        busyWaiter = BusyWaiter(handler: options.busyHandler, interrupter: interrupter)
        capabilities = StorageCapabilities(libraryVersion: library.version)
        capabilities.reportsRowImages = library.hasPreupdateHook
        capabilities.reportsEveryRow = library.hasPreupdateHook
        capabilities.hasForeignChangeToken = true
        capabilities.missingFeatures = library.missingFeatures
        reporter.connection = self
        if let file = options.requiredFile { try check(file) }
        busyWaiter.install(on: handle, api: api)
        installAuthorizer()
        try configure()
        if !options.trustsFile { try applyUntrustedFileLimits() }
        try unlock(self)
        if !options.isPreparedBeforeUse {
            try finishOpening()
        } else if options.isReadableBeforePreparation {
            try busyWaiter.retrying { () throws(StorageError) in try beginReading() }
        }
    }

    deinit {
        finalizeOwnStatements()
        if let handle {
            keepLogFilesIfReplaced()
            (interrupter as? SQLiteInterrupter)?.end()
            if api.pointee.close(handle) == SQLiteCode.ok {
                vigil_sqlite_free_guard(journal.vfsGuard)
            } else {
                // The library closes the connection later, and uses the guard until then.
                _ = api.pointee.close_v2(handle)
            }
        }
    }

    private static func openHandle(
        library: SQLiteLibrary, location: StorageLocation, options: StorageOptions
    ) throws(StorageError) -> (handle: OpaquePointer, journal: JournalFiles) {
        var flags = SQLiteOpenFlag.noMutex
        switch options.access {
        case .readOnly: flags |= SQLiteOpenFlag.readOnly
        case .readWrite: flags |= SQLiteOpenFlag.readWrite
        case .create: flags |= SQLiteOpenFlag.readWrite | SQLiteOpenFlag.create
        }
        let path: String
        switch location {
        case .memory(nil): path = ":memory:"
        case .memory(""):
            // The library would open a private database.
            throw StorageError(
                .cannotOpen, "the name of a database in memory is empty: only other names are shared")
        case .memory(let name?):
            try name.checkForNullCharacter(in: "the name of the database", code: .cannotOpen)
            path = "file:\(percentEncoded(name))?mode=memory&cache=shared"
            flags |= SQLiteOpenFlag.uri
        case .file(let file):
            try file.checkForNullCharacter(in: "the path of the database", code: .cannotOpen)
            path = literalPath(file)
        case .server(let address):
            throw StorageError(.cannotOpen, "SQLite opens files, and \(address) is on a server")
        }
        var handle: OpaquePointer?
        var journalGuard: OpaquePointer?
        let code: Int32
        if case .file = location {
            code = vigil_sqlite_open_guarded(library.api, path, &handle, flags, &journalGuard)
        } else {
            // Connections share a database in memory only if they use the same VFS.
            code = library.api.pointee.open_v2(path, &handle, flags, nil)
        }
        guard code == SQLiteCode.ok, let handle else {
            let message = handle.flatMap { library.api.pointee.errmsg($0) }.map { String(cString: $0) }
            _ = handle.map { library.api.pointee.close_v2($0) }
            vigil_sqlite_free_guard(journalGuard)
            throw StorageError(.init(rawValue: code), "\(message ?? "cannot open the database"): \(path)")
        }
        _ = library.api.pointee.extended_result_codes(handle, 1)
        return (handle, JournalFiles(vfsGuard: journalGuard))
    }

    private static func percentEncoded(_ name: String) -> String {
        let hex = Array("0123456789ABCDEF")
        return name.utf8.reduce(into: "") { result, byte in
            let character = Character(UnicodeScalar(byte))
            if byte < 0x80, character.isLetter || character.isNumber || "-._~".contains(character) {
                result.append(character)
            } else {
                result += "%\(hex[Int(byte >> 4)])\(hex[Int(byte & 15)])"
            }
        }
    }

    /// Reads the first page, to report an encrypted file or another format immediately.
    private func verify() throws(StorageError) {
        do {
            _ = try query("SELECT COUNT(*) FROM sqlite_master")
        } catch {
            throw explained(error)
        }
    }

    /// Configures what does not require reading the file.
    private func configure() throws(StorageError) {
        try run("PRAGMA foreign_keys = \(options.foreignKeysEnabled ? "ON" : "OFF")")
        let strings: Int32 = options.acceptsDoubleQuotedStringLiterals ? 1 : 0
        let handle = try openHandle()
        if options.keepsLogFiles { keepLogFiles(handle) }
        // Libraries before 3.29 do not support these two options, and always accept such strings.
        _ = vigil_sqlite_db_config_flag(
            api, handle, SQLiteDatabaseConfig.doubleQuotedStringsInDDL, strings, nil)
        _ = vigil_sqlite_db_config_flag(
            api, handle, SQLiteDatabaseConfig.doubleQuotedStringsInDML, strings, nil)
    }

    package func finishOpening() throws(StorageError) {
        guard !hasFinishedOpening else { return }
        // Other processes may be opening a new file at the same time.
        let mode = try busyWaiter.retrying { () throws(StorageError) in
            if isOpening { try beginReading() }
            if usesLog { try activateLog() }
            return try query("PRAGMA main.journal_mode").first?.first
        }
        capabilities.allowsConcurrentReaders = mode == .text("wal")
        hasFinishedOpening = true
    }

    private var usesLog: Bool { options.journalMode == .wal && options.access != .readOnly }

    /// Reads the file, and configures what requires this. The program may configure the connection
    /// afterwards, and a new file until it is written: with the log, it is written.
    private func beginReading() throws(StorageError) {
        try verify()
        if usesLog { try run("PRAGMA synchronous = NORMAL") }
        isOpening = false
    }

    /// Switches to WAL mode, without the databases that the program has attached. Databases in memory and in
    /// temporary files have no log, and need none.
    private func activateLog() throws(StorageError) {
        let mode = try query("PRAGMA main.journal_mode = WAL").first?.first?.text
        guard mode == "wal" || mode == "memory" || givenPath == "" else {
            throw StorageError(
                .error,
                "cannot enable the write-ahead log: the journal mode remains \(mode ?? "unknown")")
        }
    }

    package func didSetKey(cipherVersion: String) {
        capabilities.cipherVersion = cipherVersion
    }

    /// Returns the open handle. Throws ``StorageError/Code/misuse`` after ``close()``.
    package func openHandle() throws(StorageError) -> OpaquePointer {
        guard let handle else { throw StorageError(.misuse, "the database connection is closed") }
        return handle
    }

    /// Whether the library has reported something that a statement has yet to handle.
    var hasUnreportedEvents: Bool { reporter.hasQueuedChanges || !recorder.isEmpty }

    func lastError(_ code: Int32, sql: String? = nil) -> StorageError {
        let message = handle.flatMap { api.pointee.errmsg($0) } ?? api.pointee.errstr(code)
        if capabilities.cipherVersion != nil, let error = damagedPageError(code, sql: sql) { return error }
        return StorageError(
            .init(rawValue: code),
            needsWriteAccessMessage(code) ?? message.map { explainedMessage(String(cString: $0)) }
                ?? "unknown error", sql: sql)
    }

    package func close() throws(StorageError) {
        guard let handle else { return }
        // The library refuses to close the source of a running backup, but not its destination.
        guard incomingBackup?.isInProgress != true else {
            throw StorageError(
                .busy, "the database is being replaced by a backup: finish it before you close")
        }
        finalizeOwnStatements()
        keepLogFilesIfReplaced()
        let code = api.pointee.close(handle)
        guard code == SQLiteCode.ok else {
            throw StorageError(.init(rawValue: code), unfinalizedStatementsMessage)
        }
        (interrupter as? SQLiteInterrupter)?.end()
        reporter.stop()
        self.handle = nil
        vigil_sqlite_free_guard(journal.vfsGuard)
        journal.vfsGuard = nil
    }

    private var unfinalizedStatementsMessage: String {
        ([lastError(SQLiteCode.ok).message] + statementTexts.map { "unfinalized statement: \($0)" })
            .joined(separator: "; ")
    }

    private func finalizeOwnStatements() {
        for statement in ownStatements.all { _ = api.pointee.finalize(statement) }
        ownStatements = OwnStatements()
    }

    package func report(to sink: (any ChangeSink)?, interest: ChangeInterest) {
        reporter.report(to: sink, interest: interest)
    }

    package func releaseMemory() {
        _ = handle.map { api.pointee.db_release_memory($0) }
    }

    package func setReadOnly(_ isReadOnly: Bool) throws(StorageError) {
        try run("PRAGMA query_only = \(isReadOnly ? 1 : 0)")
    }

    package var lastInsertedRowID: Int64 {
        handle.map { api.pointee.last_insert_rowid($0) } ?? 0
    }

    package var changesCount: Int {
        guard let handle else { return 0 }
        return api.pointee.changes64.map { Int($0(handle)) } ?? Int(api.pointee.changes(handle))
    }

    package var totalChangesCount: Int {
        guard let handle else { return 0 }
        return api.pointee.total_changes64.map { Int($0(handle)) } ?? Int(api.pointee.total_changes(handle))
    }
}
