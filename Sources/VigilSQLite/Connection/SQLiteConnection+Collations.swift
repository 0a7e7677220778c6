import CVigilSQLite
package import VigilStorage

/// Whether the collations of the library have their original meaning.
struct CollationTrust {
    /// The collations defined or removed by the program, in lower case.
    var redefined: Set<String> = []
    /// Whether anything was derived from the meaning of the library's collations.
    var hasTrustedLibrary = false
}

extension SQLiteConnection {
    package func add(_ collation: StorageCollation) throws(StorageError) {
        let handle = try openHandle()
        try collation.name.checkForNullCharacter(in: "the name of the collation")
        willChangeCollation(named: collation.name)
        let hosted = Unmanaged.passRetained(HostedCollation(collation))
        let code = api.pointee.create_collation_v2(
            handle, collation.name, SQLiteFunctionFlag.utf8, hosted.toOpaque(),
            { context, countA, bytesA, countB, bytesB in
                guard let context else { return 0 }
                return Unmanaged<HostedCollation>.fromOpaque(context).takeUnretainedValue().compare(
                    UnsafeRawBufferPointer(start: bytesA, count: Int(countA)),
                    UnsafeRawBufferPointer(start: bytesB, count: Int(countB)))
            },
            { context in if let context { Unmanaged<HostedCollation>.fromOpaque(context).release() } })
        guard code == SQLiteCode.ok else {
            // Unlike for functions, the library does not release a refused collation.
            hosted.release()
            throw collationError(code, collation.name)
        }
    }

    package func removeCollation(named name: String) throws(StorageError) {
        let handle = try openHandle()
        try name.checkForNullCharacter(in: "the name of the collation")
        willChangeCollation(named: name)
        let code = api.pointee.create_collation_v2(handle, name, SQLiteFunctionFlag.utf8, nil, nil, nil)
        guard code == SQLiteCode.ok else { throw collationError(code, name) }
    }

    private func willChangeCollation(named name: String) {
        functionRevision += 1
        if collations.redefined.insert(name.foldedName).inserted { conditionsMayHaveChanged() }
    }

    private func collationError(_ code: Int32, _ name: String) -> StorageError {
        StorageError(.init(rawValue: code), "cannot change the collation \(name): \(lastError(code).message)")
    }
}

private final class HostedCollation {
    private let collation: StorageCollation

    init(_ collation: StorageCollation) { self.collation = collation }

    func compare(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Int32 {
        let order = collation.compare(String(decoding: a, as: UTF8.self), String(decoding: b, as: UTF8.self))
        return Int32(order.signum())
    }
}
