import Foundation
import VigilEngine
import VigilStorage

/// The file of an export: written under another name in the same directory, and renamed once it is complete.
struct ExportFile {
    /// The path of the finished file, without symbolic links if it exists.
    let path: String
    let temporaryPath: String

    /// - Throws: `DatabaseError` if the file exists and is not to be replaced, or is in use.
    init(path: String, replacesFile: Bool) throws {
        guard !path.containsNullCharacter else {
            throw DatabaseError(
                resultCode: .SQLITE_CANTOPEN, message: "the path of the export contains a NUL character")
        }
        let exists = access(path, F_OK) == 0
        guard replacesFile || !exists else {
            throw DatabaseError(
                resultCode: .SQLITE_CANTOPEN, message: "the file of the export exists: \(path)")
        }
        // Renaming would replace a link, not its target.
        self.path = exists ? Self.resolved(path) : path
        temporaryPath = "\(self.path)-\(UUID().uuidString.prefix(8).lowercased())-export"
        try Self.checkIsUnused(self.path)
        if exists { try createPrivately() }
    }

    /// Creates the temporary file for this user alone: it gets the permissions of the replaced file at the
    /// end.
    private func createPrivately() throws {
        let descriptor = open(temporaryPath, O_WRONLY | O_CREAT | O_EXCL, 0o600)
        guard descriptor >= 0 else { throw ioError("open") }
        _ = close(descriptor)
    }

    private static func resolved(_ path: String) -> String {
        guard let resolved = realpath(path, nil) else { return path }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// A log or journal of the old file would be applied to the new one, also if only the file was deleted.
    private static func checkIsUnused(_ path: String) throws {
        for suffix in ["-wal", "-journal"] where size(path + suffix) ?? 0 > 0 {
            throw DatabaseError(
                resultCode: .SQLITE_BUSY,
                message: """
                    a file is in use, or was not closed: \(path)\(suffix) exists. Close its connections, or \
                    open and close it once; delete what remains of a deleted database
                    """)
        }
    }

    private static func size(_ path: String) -> Int64? {
        var status = stat()
        return stat(path, &status) == 0 ? Int64(status.st_size) : nil
    }

    /// Gives the temporary file the final name, and the permissions of the replaced file. Throws
    /// `DatabaseError` with `SQLITE_IOERR`.
    func commit() throws {
        var status = stat()
        if stat(path, &status) == 0 {
            guard chmod(temporaryPath, status.st_mode & 0o7777) == 0 else { throw ioError("chmod") }
            // Only a privileged process can give a file to another owner.
            _ = chown(temporaryPath, status.st_uid, status.st_gid)
        }
        try sync(temporaryPath)
        guard rename(temporaryPath, path) == 0 else { throw ioError("rename") }
        // The file is in place. Some file systems cannot sync directories.
        try? sync((path as NSString).deletingLastPathComponent)
    }

    /// Deletes the temporary file, if it exists, and files next to it.
    func discard() {
        for suffix in ["", "-wal", "-shm", "-journal"] { unlink(temporaryPath + suffix) }
    }

    private func sync(_ path: String) throws {
        let descriptor = open(path.isEmpty ? "." : path, O_RDONLY)
        guard descriptor >= 0 else { throw ioError("open") }
        defer { _ = close(descriptor) }
        guard fsync(descriptor) == 0 else { throw ioError("fsync") }
    }

    private func ioError(_ call: String) -> DatabaseError {
        let reason = String(cString: strerror(errno))
        return DatabaseError(
            resultCode: .SQLITE_IOERR, message: "cannot write \(path): \(call) failed (\(reason))")
    }
}
