package import VigilStorage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The open file of a connection, and the paths to it.
///
/// It compares device and inode. The system does not reuse them while the connection has the file open.
struct OpenFile: StorageFile {
    /// SQLite's path, without symbolic links. SQLite derives the path of the journal from it.
    private let resolvedPath: FileName
    /// The path given by the program, if different. A symbolic link in it may get another target.
    private let givenPath: FileName?
    let identity: FileIdentity

    /// Records the identity of the file.
    ///
    /// - Parameter isMoved: returns whether SQLite's open file is no longer at `resolvedPath`; called after
    ///   the identity was read.
    /// - Throws: ``StorageError/Code/fileMoved`` if the file was moved, deleted or replaced,
    ///   ``StorageError/Code/ioError`` if it cannot be examined.
    init(
        resolvedPath: FileName, givenPath: FileName, isMoved: () throws(StorageError) -> Bool
    ) throws(StorageError) {
        self.resolvedPath = resolvedPath
        let absolutePath = givenPath.absolute()
        self.givenPath = absolutePath == resolvedPath ? nil : absolutePath
        identity = try Self.identity(of: resolvedPath)
        if try isMoved() { throw Self.replaced(resolvedPath) }
    }

    var location: StorageLocation { .file(path: resolvedPath.description) }

    func checkIsInPlace() throws(StorageError) {
        try check(resolvedPath)
        if let givenPath { try check(givenPath) }
    }

    private func check(_ path: FileName) throws(StorageError) {
        if try Self.identity(of: path) != identity { throw Self.replaced(path) }
    }

    private static func identity(of path: FileName) throws(StorageError) -> FileIdentity {
        guard let identity = FileIdentity(path) else {
            let number = errno
            guard number == ENOENT || number == ENOTDIR else {
                throw StorageError(
                    .ioError, "cannot examine the database file: \(systemMessage(number)): \(path)")
            }
            throw StorageError(
                .fileMoved, "the database file was deleted or moved while it was open: \(path)")
        }
        return identity
    }

    static func replaced(_ path: FileName) -> StorageError {
        StorageError(.fileMoved, "the database file was replaced by another file while it was open: \(path)")
    }
}

package struct FileIdentity: Equatable {
    private let device: UInt64
    private let inode: UInt64

    /// Returns `nil` if the file cannot be examined, with the reason in `errno`.
    init?(_ path: FileName) {
        var status = stat()
        guard path.withPath({ stat($0, &status) }) == 0 else { return nil }
        self.init(status)
    }

    init(_ status: stat) {
        device = UInt64(truncatingIfNeeded: status.st_dev)
        inode = UInt64(status.st_ino)
    }

    /// Returns `nil` if the file cannot be examined.
    package init?(path: String) { self.init(FileName(path)) }
}

extension FileName {
    /// Returns the absolute path, by prepending the working directory to a relative one.
    fileprivate func absolute() -> FileName {
        guard bytes.first != UInt8(ascii: "/"), let directory = FileName(".").resolved() else { return self }
        return directory.appending("/").appending(self)
    }
}

extension StorageLocation {
    /// Whether the database is located in a missing or empty file.
    package var isEmptyFile: Bool {
        guard case .file(let path) = self, !path.isEmpty else { return false }
        var status = stat()
        guard FileName(path).withPath({ stat($0, &status) }) == 0 else { return errno == ENOENT }
        return status.st_size == 0
    }
}
