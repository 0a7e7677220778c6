import VigilStorage

/// Compiled statements by their SQL. A full cache removes the least recently used statements.
struct StatementCache {
    private struct Entry {
        var statement: Statement
        /// The value of ``useCount`` when the statement was last requested.
        var lastUse: Int
    }

    /// Longer texts are not kept, in bytes. They are usually unique, such as an insertion of many rows.
    static let maximumTextLength = 16_384
    /// The maximum total length of the texts, in bytes.
    static let maximumTotalLength = 262_144

    private let maximumCount: Int
    private var entries: [ExactString: Entry] = [:]
    private var totalLength = 0
    private var useCount = 0
    /// The positions of the last requested statements. Programs alternate between a few texts, found here
    /// without hashing.
    private var recent: [(sql: String, index: Dictionary<ExactString, Entry>.Index)] = []
    private var nextRecent = 0
    private static let recentCount = 8

    init(maximumCount: Int) {
        self.maximumCount = maximumCount
    }

    // MARK: - Statements in use

    mutating func find(_ sql: String) -> Statement? {
        index(of: sql).map { use($0) }
    }

    /// Returns whether statements of a text are kept after their use.
    func keeps(_ sql: String) -> Bool { maximumCount > 0 && sql.utf8.count <= Self.maximumTextLength }

    /// Returns a statement without references outside of the cache. Its arguments can be replaced.
    mutating func findUnused(_ sql: String) -> Statement? {
        guard sql.utf8.count <= Self.maximumTextLength, let index = index(of: sql),
            isKnownUniquelyReferenced(&entries.values[index].statement)
        else { return nil }
        return use(index)
    }

    /// Releases the large arguments of the statements without references outside of the cache.
    ///
    /// - Returns: whether other statements have large arguments.
    mutating func releaseLargeArguments() -> Bool {
        var othersHaveSome = false
        // `entries.indices` would retain the entries, and no reference would be the only one.
        var index = entries.startIndex
        while index < entries.endIndex {
            defer { entries.formIndex(after: &index) }
            guard entries.values[index].statement.bound.isLarge else { continue }
            if isKnownUniquelyReferenced(&entries.values[index].statement) {
                entries.values[index].statement.releaseLargeArguments()
            } else {
                othersHaveSome = true
            }
        }
        return othersHaveSome
    }

    var texts: [String] { entries.keys.map(\.string) }

    func contains(_ sql: String) -> Bool { entries[ExactString(sql)] != nil }

    private mutating func use(_ index: Dictionary<ExactString, Entry>.Index) -> Statement {
        useCount += 1
        entries.values[index].lastUse = useCount
        return entries.values[index].statement
    }

    private mutating func index(of sql: String) -> Dictionary<ExactString, Entry>.Index? {
        guard !entries.isEmpty else { return nil }
        // A loop over the entries would retain each text.
        for position in recent.indices where recent[position].sql.isIdentical(to: sql) {
            return recent[position].index
        }
        guard let index = entries.index(forKey: ExactString(sql)) else { return nil }
        if recent.count < Self.recentCount {
            recent.append((sql, index))
        } else {
            recent[nextRecent] = (sql, index)
            nextRecent = (nextRecent + 1) % Self.recentCount
        }
        return index
    }

    // MARK: - Contents

    mutating func insert(_ statement: Statement, for sql: String) {
        guard maximumCount > 0 else { return }
        forgetRecent()
        useCount += 1
        let entry = Entry(statement: statement, lastUse: useCount)
        if entries.updateValue(entry, forKey: ExactString(sql)) == nil { totalLength += sql.utf8.count }
        if entries.count > maximumCount || totalLength > Self.maximumTotalLength { removeOldest() }
    }

    /// Removes the oldest statements: one eighth more than necessary, so that unique texts rarely sort the
    /// others.
    private mutating func removeOldest() {
        let count = maximumCount - maximumCount / 8
        let length = Self.maximumTotalLength - Self.maximumTotalLength / 8
        for (sql, entry) in entries.sorted(by: { $0.value.lastUse < $1.value.lastUse }) {
            guard entries.count > count || totalLength > length, entry.lastUse != useCount else { return }
            entries[sql] = nil
            totalLength -= sql.string.utf8.count
        }
    }

    private mutating func forgetRecent() {
        recent.removeAll(keepingCapacity: true)
        nextRecent = 0
    }

    mutating func removeAll() {
        guard !entries.isEmpty else { return }
        forgetRecent()
        entries.removeAll()
        totalLength = 0
    }
}

/// The compiled statements of a connection, for further runs of their texts.
struct StatementCaches {
    /// The statements of the program. ``Database/cachedStatement(sql:)`` returns them, and the program may
    /// retain and change them.
    var program = StatementCache(maximumCount: 100)
    /// The statements of the library. ``Database/leaseStatement(sql:)`` lends each of them to one run at a
    /// time. Empty until the connection is set up.
    var kept = StatementCache(maximumCount: 0)
    /// Whether a statement in ``kept`` may have large arguments.
    var hasLargeArguments = false
}
