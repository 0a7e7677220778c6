/// The difference between two lists without common row identities.
struct UnkeyedDifference<Element: Sendable> {
    private let older: [Element]
    private let newer: [Element]
    private let traits: ElementTraits<Element>
    /// The number of equal rows at the beginning, and at the end.
    private var prefix = 0
    private var suffix = 0

    init(_ older: ObservedList<Element>, _ newer: ObservedList<Element>) {
        self.older = Array(older)
        self.newer = Array(newer)
        traits = (newer.version ?? older.version)?.traits(of: Element.self) ?? ElementTraits()
        let common = min(self.older.count, self.newer.count)
        while prefix < common, isSameRow(prefix, prefix) { prefix += 1 }
        while suffix < common - prefix,
            isSameRow(self.older.count - 1 - suffix, self.newer.count - 1 - suffix)
        { suffix += 1 }
    }

    private func isSameRow(_ old: Int, _ new: Int) -> Bool {
        guard let id = traits.id else { return isEqual(old, new) }
        return id(older[old]) == id(newer[new])
    }

    private func isEqual(_ old: Int, _ new: Int) -> Bool {
        traits.areEqual?(older[old], newer[new]) ?? false
    }

    private var oldMiddle: Range<Int> { prefix..<older.count - suffix }
    private var newMiddle: Range<Int> { prefix..<newer.count - suffix }

    var change: ListChange { difference.change }

    private var difference: ListDifference {
        let common = commonRows ?? []
        // Rows in a longest common order are stable.
        let stable = Set(longestAscent(of: common.map(\.old)))
        var left = Set(oldMiddle)
        var entered = Set(newMiddle)
        var updated: [Int] = (0..<prefix).filter { traits.id != nil && !isEqual($0, $0) }
        for index in stable.sorted() {
            let (old, new) = common[index]
            left.remove(old)
            entered.remove(new)
            if !isEqual(old, new) { updated.append(new) }
        }
        updated += (newer.count - suffix..<newer.count).filter {
            traits.id != nil && !isEqual($0 - newer.count + older.count, $0)
        }
        let leaving = left.sorted()
        let entering = entered.sorted()
        let leftPlaces = Dictionary(uniqueKeysWithValues: zip(leaving, leaving.indices))
        let enteredPlaces = Dictionary(uniqueKeysWithValues: zip(entering, entering.indices))
        let pairs = common.compactMap { row -> ListDifference.Pair? in
            guard let left = leftPlaces[row.old], let entered = enteredPlaces[row.new] else { return nil }
            return .init(left: left, entered: entered, isUpdated: !isEqual(row.old, row.new))
        }
        return ListDifference(left: leaving, entered: entering, pairs: pairs, updated: updated)
    }

    /// The middle rows of both lists, in the order of the newer one; `nil` with missing or repeated ids.
    private var commonRows: [(old: Int, new: Int)]? {
        guard let id = traits.id else { return nil }
        var places: [AnyHashable: Int] = [:]
        for index in oldMiddle where places.updateValue(index, forKey: id(older[index])) != nil { return nil }
        var seen: Set<AnyHashable> = []
        var rows: [(old: Int, new: Int)] = []
        for index in newMiddle {
            let key = id(newer[index])
            guard seen.insert(key).inserted else { return nil }
            if let place = places[key] { rows.append((place, index)) }
        }
        return rows
    }
}
