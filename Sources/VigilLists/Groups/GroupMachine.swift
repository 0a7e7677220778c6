package import VigilStorage

/// Computes the result of a statement with aggregates or groups from the contributions of its rows.
///
/// A change of a row removes its contributions and adds others. Only the touched groups are computed again,
/// and only by adding, subtracting and comparing: the database evaluates all expressions.
///
/// ```swift
/// var rows = machine.makeContributions()
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
    /// `nil` during a change.
    private var scratch: Scratch? = Scratch()

    /// Memory used again by each change (bench: group-update). Its content has no meaning between changes.
    private struct Scratch: Sendable {
        /// The size of a change, in bytes, whose memory is not kept.
        static let sizeLimit = 16_384

        var contributions: FetchedContributions?
        /// The keys of the rows before a change, and those that it removes or adds.
        var (known, removed, added) = (KeyList(), KeyList(), KeyList())
        var (removedIndex, addedIndex) = (KeyList(), KeyList())
        var cells: [StorageCell] = []
        var group: [UInt8] = []
        /// The packed values, aggregates and expressions of a group.
        var packed: [UInt8] = []
        /// An entry of ``GroupMachine/order``.
        var entry: [UInt8] = []
    }

    package init(_ shape: GroupShape) {
        self.shape = shape
        let plan = shape.plan
        contributions = Array(repeating: SortedKeys(), count: plan.contributions.sources.count)
        let rounds = plan.contributions.roundsLargeIntegers
        groupEncoder = SortKeyEncoder(terms: plan.groups ?? [], roundsLargeIntegers: rounds)
        orderEncoder = SortKeyEncoder(terms: plan.order.map(\.term), roundsLargeIntegers: rounds)
        sets = []
        for aggregate in plan.aggregates where aggregate.function.needsValues {
            guard let argument = aggregate.argument else { continue }
            if set(of: aggregate) == nil {
                sets.append(
                    ArgumentSet(
                        argument: argument, collation: aggregate.collation,
                        rowIDsLength: shape.keys.idLength,
                        roundsLargeIntegers: rounds))
            }
            if aggregate.function == .countDistinct, let set = set(of: aggregate) {
                sets[set].countsDistinct = true
            }
        }
        // Without GROUP BY, there is a row even without contributions.
        if plan.groups == nil { touch(place(of: [])) }
    }

    private var plan: GroupPlan { shape.plan }

    private func set(of aggregate: GroupPlan.Aggregate) -> Int? {
        // A closure would copy each set.
        sets.indices.first {
            sets[$0].argument == aggregate.argument && sets[$0].collation == aggregate.collation
        }
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

    /// Returns an empty list of contributions, to append the result of a fetch to.
    package mutating func makeContributions() -> FetchedContributions {
        guard var contributions = scratch?.contributions.take() else { return FetchedContributions(shape) }
        contributions.removeAll()
        return contributions
    }

    // MARK: - Contributions

    /// Adds all contributions to an empty machine.
    package mutating func fill(_ rows: FetchedContributions) throws(GroupFailure) {
        if let failure = rows.failure { throw failure }
        var setKeys = Array(repeating: KeyList(), count: sets.count)
        var scratch = Scratch()
        for index in 0..<rows.count {
            try change(rows.keys, at: index, isRemoval: false, setKeys: &setKeys, &scratch)
        }
        for index in sets.indices {
            var set = sets[index]
            set.fill(setKeys[index]) { key in
                if let place = places[Array(key)] { groups[place].distinctCounts[index] += 1 }
            }
            sets[index] = set
        }
        for source in shape.followed {
            findIndexKeys(of: rows.keys, source: source, in: &scratch.addedIndex)
            contributions[source].insert(scratch.addedIndex)
            guard contributions[source].count == rows.count else { throw .repeatedRow }
        }
    }

    /// Finds the index keys in ascending order, if no row id is repeated.
    private func findIndexKeys(of keys: KeyList, source: Int, in indexKeys: inout KeyList) {
        indexKeys.removeAll()
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
    }

    /// Replaces all contributions of some rows.
    ///
    /// - Parameters:
    ///   - rowIDs: the row ids in each source.
    ///   - rows: the contributions with any of them.
    package mutating func replace(
        _ rowIDs: [Set<Int64>], by rows: consuming FetchedContributions
    ) throws(GroupFailure) {
        if let failure = rows.failure { throw failure }
        var scratch = self.scratch.take() ?? Scratch()
        try replace(rowIDs, by: rows, &scratch)
        self.scratch = consume scratch
    }

    private mutating func replace(
        _ rowIDs: [Set<Int64>], by rows: consuming FetchedContributions, _ scratch: inout Scratch
    ) throws(GroupFailure) {
        scratch.known.removeAll()
        for (source, rowIDs) in rowIDs.enumerated() {
            for rowID in rowIDs {
                shape.keys.withIndexPrefix(of: rowID, source: source) { prefix in
                    contributions[source].forEachKey(beginningWith: prefix) {
                        shape.keys.appendOrderKey($0, source: source, to: &scratch.known)
                    }
                }
            }
        }
        Self.findDifferences(
            scratch.known.ascending, rows.keys.ascending, onlyA: &scratch.removed, onlyB: &scratch.added)
        let (removed, added) = (scratch.removed, scratch.added)
        var none: [KeyList] = []
        // A value of a group may change in all of its contributions.
        for index in 0..<removed.count {
            try change(removed, at: index, isRemoval: true, setKeys: &none, &scratch)
        }
        for index in 0..<added.count {
            try change(added, at: index, isRemoval: false, setKeys: &none, &scratch)
        }
        for source in shape.followed {
            findIndexKeys(of: removed, source: source, in: &scratch.removedIndex)
            findIndexKeys(of: added, source: source, in: &scratch.addedIndex)
            // A row of the only source has one contribution.
            contributions[source].replace(
                scratch.removedIndex, by: scratch.addedIndex,
                identityLength: shape.sources.count == 1 ? shape.keys.idLength : nil)
        }
        if scratch.known.bytes.count + rows.byteCount > Scratch.sizeLimit {
            scratch = Scratch()
        } else {
            scratch.contributions = rows
        }
    }

    /// Finds the keys of two ascending lists that are not in the other one.
    private static func findDifferences(
        _ a: KeyList, _ b: KeyList, onlyA: inout KeyList, onlyB: inout KeyList
    ) {
        onlyA.removeAll()
        onlyB.removeAll()
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
    }

    /// Adds a contribution to its group, or removes it.
    ///
    /// - Parameter setKeys: receives the keys of sets; empty to change the sets at once.
    private mutating func change(
        _ keys: KeyList, at index: Int, isRemoval: Bool, setKeys: inout [KeyList], _ scratch: inout Scratch
    ) throws(GroupFailure) {
        try keys.withThrowingKey(at: index) { (key) throws(GroupFailure) in
            let shape = shape
            scratch.cells.removeAll(keepingCapacity: true)
            let end = PackedValues.read(shape.valueCount, of: key, to: &scratch.cells)
            _ = PackedValues.read(shape.argumentCount, of: key, from: end, to: &scratch.cells)
            scratch.group.removeAll(keepingCapacity: true)
            if shape.groupCount > 0 {
                let failure = scratch.cells.withUnsafeBufferPointer {
                    groupEncoder.append($0, to: &scratch.group)
                }
                if let failure { throw failure }
            }
            let values = UnsafeRawBufferPointer(rebasing: key[..<end])
            let place = place(of: scratch.group)
            touch(place)
            try groups[place].change(values, scratch.cells[shape.valueCount...], isRemoval: isRemoval)
            let rowIDs = UnsafeRawBufferPointer(rebasing: key[(key.count - shape.keys.idLength)...])
            for set in sets.indices {
                let cell = scratch.cells[shape.valueCount + sets[set].argument]
                if cell.kind == .null { continue }
                if setKeys.isEmpty {
                    let isOther = try sets[set].change(
                        cell, in: scratch.group, rowIDs, isRemoval: isRemoval)
                    if isOther { groups[place].distinctCounts[set] += isRemoval ? -1 : 1 }
                } else {
                    try sets[set].append(cell, in: scratch.group, rowIDs, to: &setKeys[set])
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
        var scratch = self.scratch.take() ?? Scratch()
        try settle(evaluate, &scratch)
        self.scratch = consume scratch
        touched.removeAll(keepingCapacity: touched.count < 100)
        if places.isEmpty { (groups, unused) = ([], []) }
    }

    private mutating func settle(_ evaluate: Evaluate, _ scratch: inout Scratch) throws {
        for place in touched {
            // Moved out, so that its arrays are not copied.
            var group = Group()
            swap(&group, &groups[place])
            if group.isUnknown { unknownCount -= 1 }
            (group.isUnknown, group.isTouched) = (false, false)
            let isUsed = group.count > 0 || plan.groups == nil
            if isUsed, try compute(&group, in: &scratch, evaluate) {
                show(scratch.entry, of: &group)
            } else {
                hide(&group)
            }
            if isUsed {
                if group.isUnknown { unknownCount += 1 }
                swap(&group, &groups[place])
            } else {
                places[group.key] = nil
                unused.append(place)
            }
        }
    }

    /// Returns the index of a group, which may be new.
    private mutating func place(of key: [UInt8]) -> Int {
        // An updated row often stays in its group.
        if let last = touched.last, groups[last].key == key { return last }
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

    /// Computes the entry of a group in ``order``. Returns `false` if the group has no row, or if it is
    /// unknown.
    private mutating func compute(
        _ group: inout Group, in scratch: inout Scratch, _ evaluate: Evaluate
    ) throws -> Bool {
        let shape = shape
        scratch.packed.removeAll(keepingCapacity: true)
        if group.count > 0 {
            scratch.packed += group.values
        } else {
            for _ in 0..<shape.plan.valueCount { PackedValues.append(.null, to: &scratch.packed) }
        }
        let end = scratch.packed.count
        guard appendResults(of: group, to: &scratch.packed) else {
            group.isUnknown = true
            return false
        }
        if shape.plan.evaluationSQL != nil {
            var expressions: [UInt8] = []
            let hasRow = try scratch.packed.withUnsafeBytes { packed in
                var results: [StorageCell] = []
                _ = PackedValues.read(shape.plan.aggregates.count, of: packed, from: end, to: &results)
                return try evaluate(results, &expressions)
            }
            if !hasRow { return false }
            scratch.packed += expressions
        }
        try scratch.packed.withUnsafeBytes { packed in
            let valueCount = shape.plan.valueCount + shape.plan.aggregates.count + shape.plan.expressionCount
            scratch.cells.removeAll(keepingCapacity: true)
            _ = PackedValues.read(valueCount, of: packed, to: &scratch.cells)
            for term in shape.plan.order { scratch.cells.append(scratch.cells[place(of: term.output)]) }
            scratch.entry.removeAll(keepingCapacity: true)
            if shape.plan.groups != nil {
                let failure = scratch.cells[valueCount...].withUnsafeBufferPointer {
                    orderEncoder.append($0, to: &scratch.entry)
                }
                if let failure { throw failure }
                scratch.entry += group.key
            }
            let keyLength = scratch.entry.count
            for output in shape.plan.outputs {
                PackedValues.append(scratch.cells[place(of: output)], to: &scratch.entry)
            }
            withUnsafeBytes(of: UInt32(keyLength).bigEndian) { scratch.entry.append(contentsOf: $0) }
        }
        // The rows are moved with their neighbours.
        if scratch.entry.count > SortKeyEncoder.lengthLimit { throw GroupFailure.sortKey(.tooLong) }
        return true
    }

    /// Returns the place of an output in the values, aggregates and expressions of a group.
    private func place(of output: GroupPlan.Output) -> Int {
        switch output {
        case .value(let index): index
        case .aggregate(let index): shape.plan.valueCount + index
        case .expression(let index): shape.plan.valueCount + shape.plan.aggregates.count + index
        }
    }

    /// Moves the row of a group to its place.
    private mutating func show(_ entry: [UInt8], of group: inout Group) {
        entry.withUnsafeBytes { entry in
            let key = UnsafeRawBufferPointer(rebasing: entry[..<Self.keyLength(of: entry)])
            let isInPlace =
                group.hasRow
                && group.orderKey.withUnsafeBytes { $0.count == key.count && compareBytes($0, key) == 0 }
            if isInPlace { return order.replace(beginningWith: key, by: entry) }
            hide(&group)
            order.insert(entry)
            group.orderKey.append(contentsOf: key)
            group.hasRow = true
        }
    }

    private mutating func hide(_ group: inout Group) {
        guard group.hasRow else { return }
        group.orderKey.withUnsafeBytes { order.remove(beginningWith: $0) }
        group.orderKey.removeAll(keepingCapacity: true)
        group.hasRow = false
    }

    /// Appends the packed results of all aggregates. Returns `false` if one is not known.
    private func appendResults(of group: Group, to results: inout [UInt8]) -> Bool {
        for aggregate in plan.aggregates {
            if let isMaximum = aggregate.function.isMaximum {
                guard let set = set(of: aggregate),
                    sets[set].appendExtreme(of: group.key, isMaximum: isMaximum, to: &results)
                else { return false }
            } else {
                guard let cell = result(of: aggregate, group) else { return false }
                PackedValues.append(cell, to: &results)
            }
        }
        return true
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
            body(UnsafeRawBufferPointer(rebasing: key[Self.keyLength(of: key)..<(key.count - 4)]))
        }
    }

    /// Returns the length of the key at the beginning of an entry in ``order``.
    private static func keyLength(of entry: UnsafeRawBufferPointer) -> Int {
        Int(UInt32(bigEndian: entry.loadUnaligned(fromByteOffset: entry.count - 4, as: UInt32.self)))
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
