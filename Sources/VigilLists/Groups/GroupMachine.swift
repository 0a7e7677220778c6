package import VigilStorage

/// Computes the result of a statement with aggregates or groups from the contributions of its rows.
///
/// A change of a row removes its contributions and adds others. Only the touched groups are computed again,
/// and only by adding, subtracting and comparing: the database evaluates all expressions.
///
/// ```swift
/// var rows = machine.contributions
/// lookUp(rowIDs) { rows.append($0) }
/// try machine.replace(rowIDs, by: rows)
/// try machine.settle(evaluate)
/// machine.forEachRow { row in … }
/// ```
///
/// After an error, the machine must not be used any more. It has no lock and no clock.
package struct GroupMachine: Sendable {
    package let shape: GroupShape
    /// The contributions by the row id in each source, as in the index of a list. Empty for sources that are
    /// not followed.
    private var contributions: [SortedKeys]
    /// The groups, and unused ones. A group is found by its values once for each change.
    private var groups: [Group] = []
    /// The indexes of the groups by their encoded values.
    private var places: [[UInt8]: Int] = [:]
    /// The indexes of the unused groups.
    private var unused: [Int] = []
    private var sets: [ArgumentSet]
    /// The rows in the order of the result: the encoded sort values and the group, then the packed row and
    /// the length before it.
    private var order = SortedKeys()
    /// The indexes of the groups changed since they were computed.
    private var touched: [Int] = []
    /// The number of groups with an unknown result.
    package private(set) var unknownCount = 0
    private var groupEncoder: SortKeyEncoder
    private var orderEncoder: SortKeyEncoder

    package init(_ shape: GroupShape) {
        self.shape = shape
        let plan = shape.plan
        contributions = Array(repeating: SortedKeys(), count: plan.contributions.sources.count)
        let rounds = plan.contributions.roundsLargeIntegers
        groupEncoder = SortKeyEncoder(terms: plan.groups ?? [], roundsLargeIntegers: rounds)
        orderEncoder = SortKeyEncoder(terms: plan.order.map(\.term), roundsLargeIntegers: rounds)
        sets = []
        for aggregate in plan.aggregates where aggregate.function.needsValues {
            guard let argument = aggregate.argument, set(of: aggregate) == nil else { continue }
            sets.append(
                ArgumentSet(
                    argument: argument, collation: aggregate.collation,
                    rowIDsLength: shape.keys.idLength,
                    roundsLargeIntegers: rounds))
        }
        // Without GROUP BY, there is a row even without contributions.
        if plan.groups == nil { touch(place(of: [])) }
    }

    private var plan: GroupPlan { shape.plan }

    private func set(of aggregate: GroupPlan.Aggregate) -> Int? {
        sets.firstIndex { $0.argument == aggregate.argument && $0.collation == aggregate.collation }
    }

    /// The number of contributions.
    package var count: Int { shape.followed.first.map { contributions[$0].count } ?? 0 }

    /// The number of groups in the result, without its limit.
    package var rowCount: Int { order.count }

    /// The memory of the machine, roughly.
    package var byteCount: Int {
        let group = 200 + plan.argumentCount * MemoryLayout<NumberTotals>.size
        return contributions.reduce(0) { $0 + $1.byteCount } + sets.reduce(0) { $0 + $1.keys.byteCount }
            + order.byteCount + places.count * group
    }

    /// An empty list of contributions, to append the result of a fetch to.
    package var fetchedContributions: FetchedContributions { FetchedContributions(shape) }

    // MARK: - Contributions

    /// Adds all contributions to an empty machine.
    package mutating func fill(_ rows: FetchedContributions) throws(GroupFailure) {
        if let failure = rows.failure { throw failure }
        var setKeys = Array(repeating: KeyList(), count: sets.count)
        for index in 0..<rows.count {
            try change(rows.keys, at: index, isRemoval: false, setKeys: &setKeys)
        }
        for index in sets.indices {
            var set = sets[index]
            set.fill(setKeys[index]) { key in
                if let place = places[Array(key)] { groups[place].distinctCounts[index] += 1 }
            }
            sets[index] = set
        }
        for source in shape.followed {
            contributions[source].insert(indexKeys(of: rows.keys, source: source))
            guard contributions[source].count == rows.count else { throw .repeatedRow }
        }
    }

    /// Returns the index keys in ascending order, if no row id is repeated.
    private func indexKeys(of keys: KeyList, source: Int) -> KeyList {
        var indexKeys = KeyList()
        indexKeys.reserveCapacity(keys.count, bytes: keys.bytes.count)
        keys.withKeys { keys in
            guard keys.count > 1 else {
                if keys.count == 1 { shape.keys.appendIndexKey(keys[0], source: source, to: &indexKeys) }
                return
            }
            let rowIDs = (0..<keys.count).map { shape.keys.orderedRowID(of: source, in: keys[$0]) }
            for index in stableOrder(of: rowIDs) {
                shape.keys.appendIndexKey(keys[index], source: source, to: &indexKeys)
            }
        }
        return indexKeys
    }

    /// Replaces all contributions of some rows.
    ///
    /// - Parameters:
    ///   - rowIDs: the row ids in each source.
    ///   - rows: the contributions with any of them.
    package mutating func replace(
        _ rowIDs: [Set<Int64>], by rows: FetchedContributions
    ) throws(GroupFailure) {
        if let failure = rows.failure { throw failure }
        var (removed, added) = (KeyList(), KeyList())
        for (source, rowIDs) in rowIDs.enumerated() {
            for rowID in rowIDs {
                shape.keys.withIndexPrefix(of: rowID, source: source) { prefix in
                    contributions[source].forEachKey(beginningWith: prefix) {
                        shape.keys.appendOrderKey($0, source: source, to: &removed)
                    }
                }
            }
        }
        (removed, added) = Self.differences(removed.ascending, rows.keys.ascending)
        if removed.count + added.count == 0 { return }
        var none: [KeyList] = []
        // A value of a group may change in all of its contributions.
        for index in 0..<removed.count {
            try change(removed, at: index, isRemoval: true, setKeys: &none)
        }
        for index in 0..<added.count { try change(added, at: index, isRemoval: false, setKeys: &none) }
        for source in shape.followed {
            indexKeys(of: removed, source: source).withKeys { keys in
                for index in 0..<keys.count { contributions[source].remove(beginningWith: keys[index]) }
            }
            contributions[source].insert(indexKeys(of: added, source: source))
        }
    }

    /// Returns the keys of two ascending lists that are not in the other one.
    private static func differences(_ a: KeyList, _ b: KeyList) -> (KeyList, KeyList) {
        var (onlyA, onlyB) = (KeyList(), KeyList())
        a.withKeys { a in
            b.withKeys { b in
                var (i, j) = (0, 0)
                while i < a.count || j < b.count {
                    var order = i == a.count ? 1 : -1
                    if i < a.count, j < b.count { order = compareBytes(a[i], b[j]) }
                    if order < 0 { onlyA.append(a[i]) }
                    if order > 0 { onlyB.append(b[j]) }
                    if order <= 0 { i += 1 }
                    if order >= 0 { j += 1 }
                }
            }
        }
        return (onlyA, onlyB)
    }

    /// Adds a contribution to its group, or removes it.
    ///
    /// - Parameter setKeys: receives the keys of sets; empty to change the sets at once.
    private mutating func change(
        _ keys: KeyList, at index: Int, isRemoval: Bool, setKeys: inout [KeyList]
    ) throws(GroupFailure) {
        try keys.withThrowingKey(at: index) { (key) throws(GroupFailure) in
            let shape = shape
            var cells: [StorageCell] = []
            cells.reserveCapacity(shape.valueCount + shape.argumentCount)
            let end = PackedValues.read(shape.valueCount, of: key, to: &cells)
            _ = PackedValues.read(shape.argumentCount, of: key, from: end, to: &cells)
            var group: [UInt8] = []
            if shape.groupCount > 0 { try groupEncoder.append(cells, to: &group) }
            let values = UnsafeRawBufferPointer(rebasing: key[..<end])
            let arguments = cells[shape.valueCount...]
            let place = place(of: group)
            touch(place)
            try groups[place].change(values, arguments, isRemoval: isRemoval)
            let rowIDs = UnsafeRawBufferPointer(rebasing: key[(key.count - shape.keys.idLength)...])
            for set in sets.indices {
                let cell = arguments[shape.valueCount + sets[set].argument]
                if cell.kind == .null { continue }
                if setKeys.isEmpty {
                    let isOther = try sets[set].change(cell, in: group, rowIDs, isRemoval: isRemoval)
                    if isOther { groups[place].distinctCounts[set] += isRemoval ? -1 : 1 }
                } else {
                    try sets[set].append(cell, in: group, rowIDs, to: &setKeys[set])
                }
            }
        }
    }

    // MARK: - Results

    /// Computes expressions from the results of all aggregates, and appends them, packed, to an array.
    ///
    /// Returns `false` if the group has no row in the result.
    package typealias Evaluate = ([StorageCell], inout [UInt8]) throws -> Bool

    /// Computes the touched groups.
    ///
    /// - Parameter evaluate: runs ``GroupPlan/evaluationSQL``.
    package mutating func settle(_ evaluate: Evaluate) throws {
        for place in touched {
            // Moved out, so that its arrays are not copied.
            var group = Group()
            swap(&group, &groups[place])
            if group.isUnknown { unknownCount -= 1 }
            group.orderKey?.withUnsafeBytes { order.remove(beginningWith: $0) }
            (group.orderKey, group.isUnknown, group.isTouched) = (nil, false, false)
            if group.count > 0 || plan.groups == nil {
                try compute(&group, evaluate)
                if group.isUnknown { unknownCount += 1 }
                swap(&group, &groups[place])
            } else {
                places[group.key] = nil
                unused.append(place)
            }
        }
        touched.removeAll(keepingCapacity: touched.count < 100)
        if places.isEmpty { (groups, unused) = ([], []) }
    }

    /// Returns the index of a group, which may be new.
    private mutating func place(of key: [UInt8]) -> Int {
        if let place = places[key] { return place }
        var place = groups.count
        let group = Group(key: key, argumentCount: shape.argumentCount, setCount: sets.count)
        if let last = unused.popLast() {
            place = last
            groups[place] = group
        } else {
            groups.append(group)
        }
        places[key] = place
        return place
    }

    private mutating func touch(_ place: Int) {
        if groups[place].isTouched { return }
        groups[place].isTouched = true
        touched.append(place)
    }

    private mutating func compute(_ group: inout Group, _ evaluate: Evaluate) throws {
        guard let results = results(of: group) else {
            group.isUnknown = true
            return
        }
        let (values, count) = (group.values, group.count)
        try values.withUnsafeBytes { values in
            try results.withUnsafeBytes { results in
                var (valueCells, resultCells): ([StorageCell], [StorageCell]) = ([], [])
                if count > 0 { _ = PackedValues.read(plan.valueCount, of: values, to: &valueCells) }
                _ = PackedValues.read(plan.aggregates.count, of: results, to: &resultCells)
                var expressions: [UInt8] = []
                if plan.evaluationSQL != nil, try !evaluate(resultCells, &expressions) { return }
                try expressions.withUnsafeBytes { expressions in
                    var expressionCells: [StorageCell] = []
                    _ = PackedValues.read(plan.expressionCount, of: expressions, to: &expressionCells)
                    func cell(_ output: GroupPlan.Output) -> StorageCell {
                        switch output {
                        case .value(let index): valueCells[index]
                        case .aggregate(let index): resultCells[index]
                        case .expression(let index): expressionCells[index]
                        }
                    }
                    var orderKey: [UInt8] = []
                    if plan.groups != nil {
                        try orderEncoder.append(plan.order.map { cell($0.output) }, to: &orderKey)
                        orderKey += group.key
                    }
                    group.orderKey = orderKey
                    var entry = orderKey
                    for output in plan.outputs { PackedValues.append(cell(output), to: &entry) }
                    withUnsafeBytes(of: UInt32(orderKey.count).bigEndian) { entry.append(contentsOf: $0) }
                    // The rows are moved with their neighbours.
                    if entry.count > SortKeyEncoder.lengthLimit {
                        throw GroupFailure.sortKey(.tooLong)
                    }
                    entry.withUnsafeBytes { order.insert($0) }
                }
            }
        }
    }

    /// Returns the packed results of all aggregates; `nil` if one is not known.
    private func results(of group: Group) -> [UInt8]? {
        var results: [UInt8] = []
        for aggregate in plan.aggregates {
            if let isMaximum = aggregate.function.isMaximum {
                guard let set = set(of: aggregate),
                    let value = sets[set].extreme(of: group.key, isMaximum: isMaximum)
                else { return nil }
                if value.isEmpty { PackedValues.append(.null, to: &results) } else { results += value }
            } else {
                guard let cell = result(of: aggregate, group) else { return nil }
                PackedValues.append(cell, to: &results)
            }
        }
        return results
    }

    private func result(of aggregate: GroupPlan.Aggregate, _ group: Group) -> StorageCell? {
        guard let argument = aggregate.argument else { return StorageCell(integer: Int64(group.count)) }
        let totals = group.arguments[argument]
        switch aggregate.function {
        case .countAll, .minimum, .maximum: return nil
        case .count: return StorageCell(integer: Int64(totals.count))
        case .countDistinct:
            return set(of: aggregate).map { StorageCell(integer: Int64(group.distinctCounts[$0])) }
        case .sum: return totals.sum
        case .total: return totals.total
        case .average: return totals.average
        }
    }

    /// Calls `body` with each packed row of the result, in order. Read its values with ``PackedValues``.
    ///
    /// The results must be known: see ``unknownCount``.
    package func forEachRow(
        offset: Int = 0, limit: Int = .max, _ body: (UnsafeRawBufferPointer) -> Void
    ) {
        order.forEachKey(offset: offset, limit: limit) { key in
            let end = key.count - 4
            let start = Int(UInt32(bigEndian: key.loadUnaligned(fromByteOffset: end, as: UInt32.self)))
            body(UnsafeRawBufferPointer(rebasing: key[start..<end]))
        }
    }
}

/// A group, or all rows of a statement without GROUP BY.
private struct Group: Sendable {
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
    /// The key in the order of the groups; `nil` for a group without a row in the result.
    var orderKey: [UInt8]?
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
            self.values = Array(values)
        } else if !isRemoval, !self.values.elementsEqual(values) {
            throw .differentValues
        }
        count += isRemoval ? -1 : 1
        for (index, cell) in cells.enumerated() {
            if isRemoval { arguments[index].remove(cell) } else { arguments[index].add(cell) }
        }
    }
}

extension GroupPlan.Aggregate.Function {
    /// Whether the values of the argument are kept in order.
    fileprivate var needsValues: Bool { self == .countDistinct || isMaximum != nil }

    /// Whether it is the maximum or the minimum; `nil` for other functions.
    fileprivate var isMaximum: Bool? {
        switch self {
        case .maximum: true
        case .minimum: false
        default: nil
        }
    }
}

extension KeyList {
    /// The keys in ascending order, without repetitions.
    fileprivate var ascending: KeyList { ascendingIndices().map(selecting) ?? self }

    fileprivate func withThrowingKey<Failure: Error>(
        at index: Int, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Void
    ) throws(Failure) {
        var result: Result<Void, Failure> = .success(())
        withKey(at: index) { key in
            do throws(Failure) { try body(key) } catch { result = .failure(error) }
        }
        try result.get()
    }
}
