import CVigilSQLite
package import VigilStorage

extension SQLiteConnection: FileIdentifying {
    package func openFile() throws(StorageError) -> (any StorageFile)? {
        guard let givenPath, let resolvedPath = try mainFilePath() else { return nil }
        return try OpenFile(resolvedPath: resolvedPath, givenPath: FileName(givenPath)) {
            () throws(StorageError) in try hasFileMoved()
        }
    }

    /// Checks that the connection opened a file that another connection of this process has open.
    ///
    /// Called before the file is read. In WAL mode, the first read of another file at the same path would truncate
    /// the `-shm` file that the other connection has mapped into memory, because the locks of `fcntl` do not protect
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

    /// Checks that the `-wal` file that the connection reads was neither deleted nor replaced. Otherwise later
    /// commits would be invisible.
    ///
    /// Only connections without write access are checked. They cannot change the journal mode, and the lock that
    /// they hold while the log is open keeps other connections from removing it.
    ///
    /// - Throws: ``StorageError/Code/fileMoved`` if the log was deleted or replaced.
    func checkLogIsInPlace() throws(StorageError) {
        guard options.access == .readOnly, let path = try mainFilePath()?.appending("-wal") else { return }
        let identity = FileIdentity(path)
        guard let known = logIdentity, known != identity, try journalMode() == "wal" else {
            return logIdentity = identity
        }
        throw StorageError(
            .fileMoved, "the write-ahead log was deleted or replaced while the database was open: \(path)")
    }

    /// Keeps the library from deleting the files of a database that replaced the open one. Called before the
    /// handle is closed.
    ///
    /// The last connection that closes a database in WAL mode deletes the `-wal` and `-shm` files at its
    /// path. SQLite 3.15 does so even if they belong to another database by then, whose latest commits would
    /// be lost.
    func keepLogFilesIfReplaced() {
        guard let handle, (try? hasFileMoved()) == true else { return }
        keepLogFiles(handle)
    }

    /// Keeps the library from deleting the `-wal` and `-shm` files when this connection closes.
    func keepLogFiles(_ handle: OpaquePointer) {
        var isPersistent: Int32 = 1
        _ = api.pointee.file_control(handle, "main", SQLiteFileControl.persistLog, &isPersistent)
    }

    /// Returns a path that SQLite opens literally. Some builds parse a path that begins with `file:` as a
    /// URI.
    static func literalPath(_ path: String) -> String {
        path.utf8.starts(with: "file:".utf8) ? "./" + path : path
    }
}
