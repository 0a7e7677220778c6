import Dispatch
import VigilStorage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The location of a database's files, with symbolic links resolved as SQLite resolves them.
struct DatabaseFiles {
    /// The directory, without a trailing slash unless it is the root.
    let directory: FileName
    let database: FileName

    /// Locates the files; `nil` for a database in memory or in a temporary file of one connection.
    ///
    /// - Throws: ``StorageError/Code/cannotOpen`` if the directory does not exist.
    init?(_ location: StorageLocation) throws(StorageError) {
        guard case .file(let path) = location, path != "", path != ":memory:" else { return nil }
        try path.checkForNullCharacter(in: "the path of the database", code: .cannotOpen)
        let bytes = FileName(path)
        // SQLite resolves the links of an existing file. Once a connection is open, the file exists.
        guard let resolved = bytes.resolved() ?? Self.resolvedParent(of: bytes) else {
            throw StorageError(
                .cannotOpen, "the directory of \(path) cannot be watched: \(systemMessage(errno))")
        }
        let (directory, name) = resolved.split()
        self.directory = directory
        database = name
    }

    /// The names of the files written by commits.
    var names: [FileName] { [database] + companions }

    /// The names of the files that SQLite writes and never locks.
    private var companions: [FileName] { [database.appending("-wal"), database.appending("-journal")] }

    /// Returns the paths of the files that a watch may open and close: the log and the journal, if they
    /// exist.
    ///
    /// Closing any descriptor of a file drops all POSIX locks of the process on it, unnoticed by SQLite:
    /// another process could write at the same time and corrupt the database. SQLite locks the database and
    /// its `-shm`. So neither is among the paths, nor is another name of them.
    func openablePaths() -> [FileName] {
        companions.map { path(of: $0) }.filter { path in
            guard let status = FileStatus(path) else { return false }
            return status.isRegular && !isLocked(status)
        }
    }

    /// Returns whether SQLite locks the file.
    func isLocked(_ status: FileStatus) -> Bool {
        [database, database.appending("-shm")].contains { FileIdentity(path(of: $0)) == status.identity }
    }

    private func path(of name: FileName) -> FileName { directory.appending("/").appending(name) }

    /// Resolves the directory of a missing file.
    private static func resolvedParent(of path: FileName) -> FileName? {
        let (directory, name) = path.split()
        guard let parent = (directory.bytes.isEmpty ? FileName(".") : directory).resolved() else {
            return nil
        }
        return parent.appending("/").appending(name)
    }
}

/// A file name or path as the system stores it: bytes, in no particular encoding.
struct FileName: Hashable, Sendable {
    var bytes: [UInt8]

    init(bytes: [UInt8]) { self.bytes = bytes }

    init(_ text: String) { bytes = Array(text.utf8) }

    func appending(_ suffix: String) -> FileName { FileName(bytes: bytes + suffix.utf8) }

    func appending(_ other: FileName) -> FileName { FileName(bytes: bytes + other.bytes) }

    /// Splits the path into directory and last component. A bare name's directory is empty, `/a`'s is `/`.
    func split() -> (directory: FileName, name: FileName) {
        guard let slash = bytes.lastIndex(of: UInt8(ascii: "/")) else { return (FileName(bytes: []), self) }
        let directory = slash == 0 ? bytes[...slash] : bytes[..<slash]
        return (FileName(bytes: Array(directory)), FileName(bytes: Array(bytes[(slash + 1)...])))
    }

    /// Returns the path without symbolic links, `.` and `..`; `nil`, with a reason in `errno`, if missing.
    func resolved() -> FileName? {
        guard let path = withPath({ realpath($0, nil) }) else { return nil }
        defer { free(path) }
        return FileName(bytes: Array(UnsafeRawBufferPointer(start: path, count: strlen(path))))
    }

    var isWritable: Bool { withPath { access($0, W_OK) } == 0 }

    func withPath<T>(_ body: (UnsafePointer<CChar>) -> T) -> T {
        let characters = bytes.map { CChar(bitPattern: $0) } + [0]
        return characters.withUnsafeBufferPointer { buffer in
            // A nonempty array has a base address.
            buffer.baseAddress.map(body) ?? body("")
        }
    }
}

extension FileName: CustomStringConvertible {
    var description: String { String(decoding: bytes, as: UTF8.self) }
}

/// The status of a file, without following a symbolic link.
struct FileStatus {
    let identity: FileIdentity
    let isRegular: Bool

    /// Returns `nil` if the file cannot be examined.
    init?(_ path: FileName) {
        var status = stat()
        guard path.withPath({ lstat($0, &status) }) == 0 else { return nil }
        self.init(status)
    }

    /// Returns `nil` if the descriptor is not open.
    init?(descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        self.init(status)
    }

    private init(_ status: stat) {
        identity = FileIdentity(status)
        isRegular = status.st_mode & S_IFMT == S_IFREG
    }
}

/// Returns the system's message for an error number.
func systemMessage(_ number: Int32) -> String {
    strerror(number).map { String(cString: $0) } ?? "error \(number)"
}

extension Duration {
    /// The end of this interval, on the clock that stops while the machine sleeps.
    var fromNow: DispatchTime {
        let nanoseconds = components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000
        return .now() + .nanoseconds(Int(nanoseconds))
    }
}
