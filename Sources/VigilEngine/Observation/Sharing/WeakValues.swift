/// Objects by keys, while others retain them.
package struct WeakValues<Key: Hashable & Sendable, Value: AnyObject & Sendable>: Sendable {
    private struct Entry {
        weak var value: Value?
    }

    private var entries: [Key: Entry] = [:]
    /// The number of entries at which entries of released objects are removed.
    private var limit = 64

    package init() {}

    /// Whether the next new object removes the entries of released ones. While it looks at the others, they
    /// must be retained elsewhere, if releasing one of them may use this value.
    var willClean: Bool { entries.count >= limit }

    /// The objects that exist.
    package var values: [Value] { entries.values.compactMap(\.value) }

    /// Returns the object of a key, and makes it if it does not exist.
    package mutating func value(for key: Key, _ make: () throws -> Value) rethrows -> Value {
        if let value = entries[key]?.value { return value }
        let value = try make()
        entries[key] = Entry(value: value)
        if entries.count > limit {
            entries = entries.filter { $0.value.value != nil }
            limit = max(64, 2 * entries.count)
        }
        return value
    }
}
