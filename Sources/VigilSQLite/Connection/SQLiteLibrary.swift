package import CVigilSQLite
import Synchronization
package import VigilStorage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The entry points of a C library of the SQLite family.
package struct SQLiteLibrary: Sendable {
    // The table is immutable once it is filled, and exists as long as the process.
    private let table: SendablePointer<UnsafePointer<vigil_sqlite_api>>

    package var api: UnsafePointer<vigil_sqlite_api> { table.pointer }

    private init(api: UnsafePointer<vigil_sqlite_api>) { table = SendablePointer(api) }

    /// The library's version, such as `3.40.1`.
    package var version: String { api.pointee.libversion().map { String(cString: $0) } ?? "unknown" }

    /// The version as a number: 3.40.1 is 3040001.
    package var versionNumber: Int32 { api.pointee.libversion_number() }

    /// Whether the library has key functions. They may have no effect.
    package var hasKeyFunctions: Bool { api.pointee.key_v2 != nil }

    /// Whether the library reports row changes with their values, before they happen.
    package var hasPreupdateHook: Bool {
        api.pointee.preupdate_hook != nil && api.pointee.preupdate_old != nil
            && api.pointee.preupdate_new != nil && api.pointee.preupdate_count != nil
    }

    /// Whether the authorizer reports a table read without any of its columns.
    package var reportsReadsWithoutColumn: Bool { versionNumber >= 3_020_000 }

    /// Whether the library counts how often it compiled a statement again.
    var countsRecompilations: Bool { versionNumber >= 3_020_000 && api.pointee.stmt_status != nil }

    var hasGeneratedColumns: Bool { versionNumber >= 3_031_000 }

    /// Returns the linked library. Throws ``StorageError/Code/libraryUnavailable`` without either trait.
    package static func linked() throws(StorageError) -> SQLiteLibrary {
        guard let api = vigil_sqlite_linked_api() else {
            throw StorageError(
                .libraryUnavailable,
                "this build of Vigil does not include a database library: enable the trait SQLite or SQLCipher"
            )
        }
        return SQLiteLibrary(api: api)
    }

    /// Returns the library at `path`, loaded separately from the linked one.
    ///
    /// - Throws: ``StorageError/Code/libraryUnavailable``, with the loader's message.
    package static func loaded(_ path: String) throws(StorageError) -> SQLiteLibrary {
        try path.checkForNullCharacter(in: "the path of the library", code: .libraryUnavailable)
        let answer = loadedLibraries.withLock { libraries -> Result<SQLiteLibrary, StorageError> in
            if let library = libraries[path] { return .success(library) }
            let answer = load(path)
            if case .success(let library) = answer { libraries[path] = library }
            return answer
        }
        return try answer.get()
    }

    /// Returns the library as if it had been built without the pre-update hook, for tests and benchmarks.
    package func withoutPreupdateHook() -> SQLiteLibrary {
        let address = UInt(bitPattern: api)
        return Self.hooklessLibraries.withLock { libraries in
            if let known = libraries[address] { return known }
            let table = UnsafeMutablePointer<vigil_sqlite_api>.allocate(capacity: 1)
            table.initialize(to: api.pointee)
            table.pointee.preupdate_hook = nil
            table.pointee.preupdate_old = nil
            table.pointee.preupdate_new = nil
            table.pointee.preupdate_count = nil
            let library = SQLiteLibrary(api: table)
            libraries[address] = library
            return library
        }
    }

    /// The copies without the hook, by the address of the original's table. They are never released.
    private static let hooklessLibraries = Mutex<[UInt: SQLiteLibrary]>([:])

    /// The loaded libraries by path. Each is loaded once, and stays loaded.
    private static let loadedLibraries = Mutex<[String: SQLiteLibrary]>([:])

    private static func load(_ path: String) -> Result<SQLiteLibrary, StorageError> {
        var failure: UnsafeMutablePointer<CChar>?
        if let api = vigil_sqlite_load_api(path, &failure) {
            SQLiteErrorLog.willUse(api)
            return .success(SQLiteLibrary(api: api))
        }
        defer { free(failure) }
        let reason = failure.map { String(cString: $0) } ?? "cannot load \(path)"
        return .failure(StorageError(.libraryUnavailable, reason))
    }
}
