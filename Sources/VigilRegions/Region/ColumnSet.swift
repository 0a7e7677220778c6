/// A set of columns. As small as an array, because each observer keeps one.
///
/// The union and the intersection of two sets keep the spelling of the left one.
package struct ColumnSet: Sendable, Hashable {
    /// The columns, each once, ordered by ``ColumnName/precedes(_:)``.
    private var names: [ColumnName] = []

    package init() {}

    package init(_ spellings: some Sequence<String>) {
        // Sort the spellings first: the order of a `Set` is random.
        self.init(names: spellings.sorted().map { ColumnName($0) })
    }

    package init(names unordered: [ColumnName]) {
        for name in unordered { insert(name) }
    }

    package var isEmpty: Bool { names.isEmpty }

    package var spellings: Set<String> { Set(names.lazy.map(\.spelling)) }

    package func contains(_ name: ColumnName) -> Bool {
        let index = firstIndex(notPreceding: name)
        return index < names.count && names[index] == name
    }

    package mutating func insert(_ name: ColumnName) {
        let index = firstIndex(notPreceding: name)
        if index < names.count, names[index] == name { return }
        names.insert(name, at: index)
    }

    package func isSubset(of other: ColumnSet) -> Bool {
        names.count <= other.names.count && names.allSatisfy { other.contains($0) }
    }

    package func intersects(_ other: ColumnSet) -> Bool {
        let (few, many) = names.count < other.names.count ? (self, other) : (other, self)
        return few.names.contains { many.contains($0) }
    }

    package mutating func formUnion(_ other: ColumnSet) {
        for name in other.names { insert(name) }
    }

    package func union(_ other: ColumnSet) -> ColumnSet {
        var union = self
        union.formUnion(other)
        return union
    }

    package func intersection(_ other: ColumnSet) -> ColumnSet {
        var intersection = self
        intersection.names.removeAll { !other.contains($0) }
        return intersection
    }

    /// Returns the index of the first column not preceding `name`, by binary search.
    private func firstIndex(notPreceding name: ColumnName) -> Int {
        var range = 0..<names.count
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            range =
                names[middle].precedes(name)
                ? (middle + 1)..<range.upperBound : range.lowerBound..<middle
        }
        return range.lowerBound
    }
}

extension ColumnSet: Sequence {
    package func makeIterator() -> IndexingIterator<[ColumnName]> { names.makeIterator() }
}

extension ColumnSet: CustomStringConvertible {
    package var description: String {
        names.map(\.spelling).sorted().joined(separator: ",")
    }
}
