import CVigilSQLite
package import VigilStorage

extension SQLiteConnection {
    package func foreignChangeToken() throws(StorageError) -> Int64? {
        _ = try openHandle()
        // No other connection can change it.
        if isPrivate, !schemas.hasAttached { return 0 }
        return try withInternalStatements(waitsForLocks: false) { () throws(StorageError) -> Int64? in
            if ownStatements.dataVersions.isEmpty { try compileDataVersions() }
            var token: Int64 = 0
            // Versions only grow: no two of them can make up for each other.
            for version in ownStatements.dataVersions { token = token &* 1_000_003 &+ (try read(version)) }
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
        guard schemas.hasAttached else { return [] }
        if ownStatements.dataVersions.isEmpty { try compileDataVersions() }
        return ownStatements.dataVersions.dropFirst().map { .file(path: $0.path) }
    }

    package func readsBlockWriters(ofAttached schema: String) throws(StorageError) -> Bool {
        let mode = try query("PRAGMA \(schema.quotedSQLName).journal_mode").first?.first?.text
        if mode == "wal" { return false }
        return try attachedFiles().contains { $0.schema.isSameName(as: schema) }
    }

    private func compileDataVersions() throws(StorageError) {
        var found: [DataVersion] = []
        do throws(StorageError) {
            found.append(DataVersion(statement: try compileInternally("PRAGMA main.data_version"), path: ""))
            for (schema, path) in schemas.hasAttached ? try attachedFiles() : [] {
                let statement = try compileInternally("PRAGMA \(schema.quotedSQLName).data_version")
                found.append(DataVersion(statement: statement, path: path))
            }
        } catch {
            for version in found { _ = api.pointee.finalize(version.statement) }
            throw error
        }
        ownStatements.dataVersions = found
    }

    /// Returns the names and paths of the attached databases in files.
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
        for version in ownStatements.dataVersions { _ = api.pointee.finalize(version.statement) }
        ownStatements.dataVersions = []
    }
}
