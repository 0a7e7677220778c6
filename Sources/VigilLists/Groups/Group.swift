import VigilStorage

/// A group, or all rows of a statement without GROUP BY.
struct Group: Sendable {
    /// The encoded values.
    var key: [UInt8] = []
    /// The number of contributions.
    var count = 0
    /// The packed values of each contribution.
    var values: [UInt8] = []
    /// The totals of each argument.
    var arguments: [NumberTotals] = []
    /// The number of distinct values in each set.
    var distinctCounts: [Int] = []
    /// The key in the order of the groups, of a group with a row in the result.
    var orderKey: [UInt8] = []
    var hasRow = false
    /// Whether the result cannot be computed from the contributions.
    var isUnknown = false
    /// Whether it changed since it was computed.
    var isTouched = false

    /// Creates a group without a use.
    init() {}

    init(key: [UInt8], argumentCount: Int, setCount: Int) {
        self.key = key
        arguments = Array(repeating: NumberTotals(), count: argumentCount)
        distinctCounts = Array(repeating: 0, count: setCount)
    }

    mutating func change(
        _ values: UnsafeRawBufferPointer, _ cells: ArraySlice<StorageCell>, isRemoval: Bool
    ) throws(GroupFailure) {
        if count == 0 {
            self.values.removeAll(keepingCapacity: true)
            self.values.append(contentsOf: values)
        } else if !isRemoval, !self.values.elementsEqual(values) {
            throw .differentValues
        }
        count += isRemoval ? -1 : 1
        for (index, cell) in cells.enumerated() {
            if isRemoval { arguments[index].remove(cell) } else { arguments[index].add(cell) }
        }
    }
}
