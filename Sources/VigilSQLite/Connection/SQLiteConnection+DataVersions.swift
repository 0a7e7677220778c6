import CVigilSQLite
package import VigilStorage

/// The compiled statement that returns the data version of a database, which differs after another connection has
/// committed.
struct DataVersion {
    fileprivate let statement: OpaquePointer
    /// The path of the file; empty for a database in memory or in a temporary file.
    fileprivate let path: String
}

extension SQLiteConnection: AttachmentReporting {
    package func foreignChangeToken() throws(StorageError) -> Int64? {
        _ = try openHandle()
        // No other connection can change it.
        if isPrivate, !hasAttached { return 0 }
        return try withInternalStatements(isPatient: false) { () throws(StorageError) -> Int64? in
            if dataVersions.isEmpty { try compileDataVersions() }
            var token: Int64 = 0
            // Versions only grow: no two of them can make up for each other.
            for version in dataVersions { token = token &* 1_000_003 &+ (try read(version)) }
            try checkLogIsInPlace()
            return token
        }
    }

    private func read(_ version: DataVersion) throws(StorageError) -> Int64 {
        defer { _ = api.pointee.reset(version.statement) }
        let code = api.pointee.step(version.statement)
        guard code == SQLiteCode.row else { throw explained(lastError(code)) }
        return api.pointee.column_int64(version.statement, 0)
    }

    package func attachedLocations() throws(StorageError) -> [StorageLocation] {
        guard hasAttached else { return [] }
        if dataVersions.isEmpty { try compileDataVersions() }
        return dataVersions.dropFirst().map { .file(path: $0.path) }
    }

    private func compileDataVersions() throws(StorageError) {
        var found: [DataVersion] = []
        do throws(StorageError) {
            found.append(DataVersion(statement: try compileInternally("PRAGMA main.data_version"), path: ""))
            for (schema, path) in hasAttached ? try attachedFiles() : [] {
                let statement = try compileInternally("PRAGMA \(schema.quotedSQLName).data_version")
                found.append(DataVersion(statement: statement, path: path))
            }
        } catch {
            for version in found { _ = api.pointee.finalize(version.statement) }
            throw error
        }
        dataVersions = found
    }

    /// Returns the names and paths of the attached databases that are stored in files.
    private func attachedFiles() throws(StorageError) -> [(schema: String, path: String)] {
        try query("PRAGMA database_list").compactMap { row in
            guard row.count > 2, let schema = row[1].text, let path = row[2].text, !path.isEmpty,
                !schema.isSameName(as: "main"), !schema.isSameName(as: "temp")
            else { return nil }
            return (schema, path)
        }
    }

    /// Discards the statements, because databases may have been attached or detached.
    func forgetDataVersions() {
        for version in dataVersions { _ = api.pointee.finalize(version.statement) }
        dataVersions = []
    }
}
