import VigilStorage

/// The open savepoints of a transaction.
///
/// PostgreSQL has savepoints only inside of transactions. A savepoint outside of one begins a transaction, to
/// be ended by the release of the savepoint.
struct SavepointStack: Equatable {
    private var names: [String] = []
    /// Whether the outermost savepoint has begun the transaction.
    private var beganTransaction = false

    var isEmpty: Bool { names.isEmpty }

    mutating func didOpen(_ name: String, beganTransaction: Bool) {
        if beganTransaction { self = SavepointStack(beganTransaction: true) }
        names.append(name)
    }

    mutating func didRelease(_ name: String) {
        guard let index = names.lastIndex(of: name) else { return }
        names.removeSubrange(index...)
    }

    mutating func didRollBack(to name: String) {
        guard let index = names.lastIndex(of: name) else { return }
        names.removeSubrange((index + 1)...)
    }

    /// Returns whether to release a savepoint is to commit the transaction.
    func releaseCommits(_ name: String) -> Bool { beganTransaction && names.lastIndex(of: name) == 0 }

    init() {}

    private init(beganTransaction: Bool) { self.beganTransaction = beganTransaction }

    /// Returns the name as it is written in SQL. The server limits names to 63 bytes, and does not accept all
    /// texts.
    static func quoted(_ name: String) -> String {
        guard name.isEmpty || name.utf8.count > 63 || name.utf8.contains(0) else {
            return name.quotedSQLName
        }
        // FNV-1a of the bytes.
        let hash = name.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) {
            ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01b3
        }
        return "vigil_savepoint_\(name.utf8.count)_\(String(hash, radix: 16))".quotedSQLName
    }
}
