import VigilSQLite
import VigilStorage
import XCTest

typealias PageTestConnection = any StorageConnection

/// Opens a file without encryption.
func openPageTestConnection(
    _ path: String, options: StorageOptions = StorageOptions()
) throws -> PageTestConnection {
    #if SQLite
        try SQLiteBackend().open(.file(path: path), options: options)
    #else
        throw XCTSkip("this build has no backend for plain files")
    #endif
}
