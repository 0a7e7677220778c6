/// The differing rows of two lists, before moves are chosen.
///
/// *Stable* rows are in both lists, in the same order.
struct ListDifference {
    /// A row with different places in the two lists, by its indices in ``left`` and ``entered``.
    struct Pair {
        let left: Int
        let entered: Int
        /// Whether the elements differ.
        let isUpdated: Bool
    }

    /// The offsets in the older list of all rows except stable ones, in ascending order.
    let left: [Int]
    /// The offsets in the newer list of all rows except stable ones, in ascending order.
    let entered: [Int]
    /// The rows in both lists, stable ones excluded, by ascending ``Pair/entered``.
    let pairs: [Pair]
    /// The offsets in the newer list of stable rows with different elements, in ascending order.
    let updated: [Int]

    /// The change with the fewest moves, provided stable rows stay.
    var change: ListChange {
        var change = ListChange()
        change.updated = RangeSet(ascending: updated)
        if left.isEmpty, entered.isEmpty { return change }
        var hasLeft = Array(repeating: true, count: left.count)
        var hasEntered = Array(repeating: true, count: entered.count)
        let moves = movingPairs()
        for (pair, isMove) in zip(pairs, moves) {
            hasLeft[pair.left] = false
            hasEntered[pair.entered] = false
            if isMove { change.moved.append(.init(from: left[pair.left], to: entered[pair.entered])) }
        }
        change.removed = RangeSet(ascending: zip(left, hasLeft).lazy.filter(\.1).map(\.0))
        change.inserted = RangeSet(ascending: zip(entered, hasEntered).lazy.filter(\.1).map(\.0))
        if !pairs.contains(where: \.isUpdated) { return change }
        let updatedPairs = pairs.lazy.filter(\.isUpdated).map { entered[$0.entered] }
        let updatedRows = RangeSet(ascending: updatedPairs)
        if change.updated.isEmpty {
            change.updated = updatedRows
        } else {
            change.updated.formUnion(updatedRows)
        }
        return change
    }

    /// Returns for each pair whether its row moves.
    ///
    /// A row moves if it passes a stable row. Among the rows between the same two stable rows in both lists,
    /// a longest sequence in the same order stays.
    private func movingPairs() -> [Bool] {
        var moves = Array(repeating: true, count: pairs.count)
        var start = 0
        while start < pairs.count {
            let gap = newGap(pairs[start])
            var end = start + 1
            while end < pairs.count, newGap(pairs[end]) == gap { end += 1 }
            let inGap = (start..<end).filter { oldGap(pairs[$0]) == gap }
            for index in longestAscent(of: inGap.map { pairs[$0].left }) { moves[inGap[index]] = false }
            start = end
        }
        return moves
    }

    /// The number of stable rows before the row in the older list.
    private func oldGap(_ pair: Pair) -> Int { left[pair.left] - pair.left }

    /// The number of stable rows before the row in the newer list.
    private func newGap(_ pair: Pair) -> Int { entered[pair.entered] - pair.entered }
}

/// Returns the indices of a longest ascending subsequence of different numbers.
func longestAscent(of numbers: [Int]) -> [Int] {
    if numbers.count < 2 { return Array(numbers.indices) }
    /// For each length, the index of the least number at the end of a subsequence of this length.
    var ends: [Int] = []
    var previous = Array(repeating: -1, count: numbers.count)
    for (index, number) in numbers.enumerated() {
        var low = 0
        var high = ends.count
        while low < high {
            let middle = (low + high) / 2
            if numbers[ends[middle]] < number { low = middle + 1 } else { high = middle }
        }
        if low > 0 { previous[index] = ends[low - 1] }
        if low == ends.count { ends.append(index) } else { ends[low] = index }
    }
    var ascent: [Int] = []
    var index = ends.last ?? -1
    while index >= 0 {
        ascent.append(index)
        index = previous[index]
    }
    return ascent.reversed()
}

extension RangeSet<Int> {
    init(ascending offsets: some Sequence<Int>) {
        self.init()
        var range = 0..<0
        for offset in offsets {
            if offset == range.upperBound, !range.isEmpty {
                range = range.lowerBound..<offset + 1
            } else {
                append(range)
                range = offset..<offset + 1
            }
        }
        append(range)
    }

    /// Appends a range behind all others. Most sets have one range, and `insert` is slower.
    private mutating func append(_ range: Range<Int>) {
        if range.isEmpty { return }
        if isEmpty { self = RangeSet(range) } else { insert(contentsOf: range) }
    }
}
