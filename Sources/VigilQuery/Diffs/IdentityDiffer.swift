/// Computes the differences between successive values of an observation.
protocol Differ<Value, Record>: Sendable {
    associatedtype Value
    associatedtype Record

    /// Returns the difference between a value and the previous one. The first value is compared with nothing.
    mutating func diff(_ value: Value) throws -> PrimaryKeyDiff<Record>
}

/// Computes the differences between successive collections, by the identities of their elements. If several
/// elements of a collection have the same identity, only the first is compared.
struct IdentityDiffer<Value: Collection, ID: Hashable>: Differ
where Value: Sendable, Value.Element: Equatable & Sendable, ID: Sendable {
    private let id: @Sendable (Value.Element) -> ID
    private var elements: [Value.Element] = []
    private var positions: [ID: Int] = [:]

    init(id: @escaping @Sendable (Value.Element) -> ID) {
        self.id = id
    }

    mutating func diff(_ value: Value) -> PrimaryKeyDiff<Value.Element> {
        var (inserted, updated) = ([Value.Element](), [Value.Element]())
        var isKept = Array(repeating: false, count: elements.count)
        var newElements: [Value.Element] = []
        var newPositions: [ID: Int] = [:]
        newElements.reserveCapacity(value.count)
        newPositions.reserveCapacity(value.count)
        for element in value {
            let id = id(element)
            guard newPositions.updateValue(newElements.count, forKeyIfAbsent: id) else { continue }
            newElements.append(element)
            if let position = positions[id] {
                isKept[position] = true
                if elements[position] != element { updated.append(element) }
            } else {
                inserted.append(element)
            }
        }
        let deleted = zip(elements, isKept).compactMap { $1 ? nil : $0 }
        (elements, positions) = (newElements, newPositions)
        return PrimaryKeyDiff(inserted: inserted, updated: updated, deleted: deleted)
    }
}

extension Dictionary {
    /// Sets the value of an absent key. Returns whether it was absent.
    fileprivate mutating func updateValue(_ value: Value, forKeyIfAbsent key: Key) -> Bool {
        guard self[key] == nil else { return false }
        self[key] = value
        return true
    }
}
