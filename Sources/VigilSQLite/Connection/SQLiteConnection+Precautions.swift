import CVigilSQLite
package import VigilStorage

package struct EncryptionState {
    /// The settings of the backend; `nil` if it does not encrypt.
    package var provider: (any ConnectionEncryption)?
    /// The period with the settings for attached databases.
    var attachment: (any AttachmentPeriod)?
    /// Whether the beginning of the encrypted file is plain.
    package var hasPlaintextHeader = false
    /// Whether the library attaches databases unencrypted while the file of this one is empty.
    package var attachesUnencrypted = false
    /// Whether a page of the encrypted file could not be read.
    var hasReadDamagedPage = false
}

package protocol ConnectionEncryption: AnyObject {
    /// Makes the library use the settings of this encryption for attached databases, instead of its defaults,
    /// until the period ends.
    func beginAttachment(to connection: SQLiteConnection) throws(StorageError) -> any AttachmentPeriod
}

/// A period with other settings for attached databases than the library's defaults.
package protocol AttachmentPeriod: AnyObject {
    /// Ends the period on its own thread. Does nothing if it has ended.
    func end()
}

/// The precautions for a running statement with encryption or an untrusted file. Few statements need any.
struct RunPrecautions: OptionSet {
    let rawValue: UInt8

    /// The statement attaches a database, as VACUUM also does: the settings of the encryption must apply.
    static let attaches = RunPrecautions(rawValue: 1)
    /// The file is not trusted, and its schema must not call functions of the program.
    static let limitsFunctions = RunPrecautions(rawValue: 4)
    /// The statement runs others in a way that crashes the library if they are traced.
    static let isNotTraced = RunPrecautions(rawValue: 2)
}

extension SQLiteConnection {
    func precautions(for sql: String, _ effects: UnreportedEffects) -> RunPrecautions {
        var precautions: RunPrecautions = options.trustsFile ? [] : .limitsFunctions
        guard encryption.provider != nil, !runsInternalStatement else { return precautions }
        if effects.changesDatabases || mayVacuum(sql) { precautions.insert(.attaches) }
        // The function of SQLCipher 3 keeps the mask of traced events, and clears the callback.
        if library.versionNumber < 3_025_000, sql.utf8.containsFolded("sqlcipher"),
            sql.utf8.containsFolded("export")
        {
            precautions.insert(.isNotTraced)
        }
        return precautions
    }

    private func mayVacuum(_ sql: String) -> Bool {
        guard let first = sql.utf8.first else { return false }
        // Other statements than these begin with another letter. A comment or white space can precede them.
        guard first | 0x20 == UInt8(ascii: "v") || first < UInt8(ascii: "A") else { return false }
        return SQLTokens(sql).startsWith(["VACUUM"])
    }

    func step(
        _ statement: OpaquePointer, with precautions: RunPrecautions, reaching schema: ReachedSchema?,
        isFirst: Bool
    ) throws(StorageError) -> Int32 {
        let outerSchema = reachedSchema
        reachedSchema = schema
        if isFirst { schema?.willRun() }
        defer { reachedSchema = outerSchema }
        if precautions.contains(.isNotTraced) {
            return withoutTracing(statement, reports: isFirst) { api.pointee.step(statement) }
        }
        guard isFirst, precautions.contains(.attaches), encryption.attachment == nil,
            let provider = encryption.provider
        else {
            return api.pointee.step(statement)
        }
        encryption.attachment = try provider.beginAttachment(to: self)
        // The library has chosen the settings before it waits for a lock of the file.
        busyWaiter.willWait = { [unowned self] in endAttachment() }
        defer { endAttachment() }
        return api.pointee.step(statement)
    }

    /// Ends the attachment period before the authorizer allows a transaction: VACUUM attaches a database
    /// first, and then copies the content in a long transaction.
    func endAttachment(before action: Int32) {
        if SQLiteAction(rawValue: action) == .transaction { endAttachment() }
    }

    private func endAttachment() {
        encryption.attachment?.end()
        encryption.attachment = nil
        busyWaiter.willWait = nil
    }
}
