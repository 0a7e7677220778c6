import CVigilSQLite
package import VigilStorage

/// The library's files next to the database.
struct JournalFiles {
    /// Keeps the library from using the journal of a replacement of the open file; `nil` with an unusual VFS.
    var vfsGuard: OpaquePointer?
    /// The `-wal` file at the last check for foreign changes.
    var logIdentity: FileIdentity?
    /// Finds the rows changed by other connections, once they are observed.
    var follower: LogFollower?
}

extension SQLiteConnection {
    package func journalMode() throws(StorageError) -> String? {
        guard case .text(let mode)? = try query("PRAGMA journal_mode").first?.first else { return nil }
        return mode
    }
}

extension SQLiteConnection {
    package func openFile() throws(StorageError) -> (any StorageFile)? {
        guard let givenPath, let resolvedPath = try mainFilePath() else { return nil }
        return try OpenFile(resolvedPath: resolvedPath, givenPath: FileName(givenPath)) {
            () throws(StorageError) in try hasFileMoved()
        }
    }

    /// Checks that the connection opened the same file as another connection of this process.
    ///
    /// Called before the file is read. In WAL mode, the first read of another file at the same path would
    /// truncate the `-shm` file mapped by the other connection, because the locks of `fcntl` do not protect
    /// it against its own process. The next access to that memory would end the process with `SIGBUS`.
    ///
    /// - Throws: ``StorageError/Code/fileMoved`` if the connection opened another file.
    func check(_ file: any StorageFile) throws(StorageError) {
        guard let file = file as? OpenFile, let own = try openFile() as? OpenFile,
            own.identity != file.identity, let path = try mainFilePath()
        else { return }
        throw OpenFile.replaced(path)
    }

    /// Returns the path of the file; `nil` for a database in memory or in a temporary file.
    func mainFilePath() throws(StorageError) -> FileName? {
        guard let name = api.pointee.db_filename(try openHandle(), "main") else { return nil }
        let path = String(cString: name)
        return path.isEmpty ? nil : FileName(path)
    }

    /// Returns whether the path no longer refers to the open file; `false` if the VFS cannot determine it.
    private func hasFileMoved() throws(StorageError) -> Bool {
        var hasMoved: Int32 = 0
        let code = api.pointee.file_control(
            try openHandle(), "main", SQLiteFileControl.hasMoved, &hasMoved)
        return code == SQLiteCode.ok && hasMoved != 0
    }

    /// Checks that the `-wal` file of the connection was neither deleted nor replaced. Otherwise later
    /// commits would be invisible.
    ///
    /// Only connections without write access are checked. They cannot change the journal mode, and their lock
    /// on the open log keeps other connections from removing it.
    ///
    /// - Throws: ``StorageError/Code/fileMoved`` if the log was deleted or replaced.
    func checkLogIsInPlace() throws(StorageError) {
        guard options.access == .readOnly, let path = try mainFilePath()?.appending("-wal") else { return }
        let identity = FileIdentity(path)
        guard let known = journal.logIdentity, known != identity, try journalMode() == "wal" else {
            return journal.logIdentity = identity
        }
        throw StorageError(
            .fileMoved, "the write-ahead log was deleted or replaced while the database was open: \(path)")
    }

    /// Keeps the library from deleting the files of a replacement of the open database. Called before the
    /// handle is closed.
    ///
    /// The last connection to a database in WAL mode deletes the `-wal` and `-shm` files at its path when it
    /// closes. SQLite 3.15 does so even if they belong to another database by then, which would lose its
    /// latest commits.
    func keepLogFilesIfReplaced() {
        guard let handle, (try? hasFileMoved()) == true else { return }
        keepLogFiles(handle)
    }

    /// Keeps the library from deleting the `-wal` and `-shm` files when this connection closes.
    func keepLogFiles(_ handle: OpaquePointer) {
        var isPersistent: Int32 = 1
        _ = api.pointee.file_control(handle, "main", SQLiteFileControl.persistLog, &isPersistent)
    }

    /// Returns a path that SQLite opens literally. Some builds parse the prefix `file:` as a URI.
    static func literalPath(_ path: String) -> String {
        path.utf8.starts(with: "file:".utf8) ? "./" + path : path
    }
}
