/// Derives the difference of sections from the difference of their rows.
///
/// A row that is neither moved nor updated has the same section in both values, because the id of its section
/// depends on the row alone. So only changed rows are looked at, unless ids are repeated, or the numbers of
/// rows show that rows have another section although their elements count as equal.
struct SectionDifference {
    /// Identifies a section: with repeated ids, also by the number of earlier sections with the same id.
    private struct Key: Hashable {
        let number: Int
        let repetition: Int
    }

    /// A row in both values.
    private struct Pair {
        let old: Int
        let new: Int
        let isUpdated: Bool
    }

    /// The changed rows of a section in both values.
    private struct Rows {
        /// The rows of the older value that are removed or in another section, and the moved rows.
        var left: [Int] = []
        /// The rows of the newer value that are inserted or were in another section, and the moved rows.
        var entered: [Int] = []
        var moved: [Pair] = []
    }

    private let older: SectionPlaces
    private let newer: SectionPlaces
    /// The index in the newer value of each section of the older one, and the reverse.
    private let newIndices: [Int?]
    private let oldIndices: [Int?]
    /// The numbers of compared rows by the index of their section: in the older value, and in the newer one.
    private var leftCounts: [Int: Int] = [:]
    private var enteredCounts: [Int: Int] = [:]
    /// The changed rows of the sections in both values, by the index in the newer value.
    private var sections: [Int: Rows] = [:]
    private(set) var change = SectionChange()

    /// - Parameters:
    ///   - rows: the difference of the rows.
    ///   - count: the number of rows of the newer list.
    init(_ rows: ListChange, from older: SectionPlaces, to newer: SectionPlaces, count: Int) {
        self.older = older
        self.newer = newer
        let (oldKeys, newKeys) = (Self.keys(of: older), Self.keys(of: newer))
        if oldKeys == newKeys {
            newIndices = Array(oldKeys.indices)
            oldIndices = newIndices
        } else {
            let old = Dictionary(uniqueKeysWithValues: zip(oldKeys, oldKeys.indices))
            let new = Dictionary(uniqueKeysWithValues: zip(newKeys, newKeys.indices))
            newIndices = oldKeys.map { new[$0] }
            oldIndices = newKeys.map { old[$0] }
            compareSections()
        }
        let isRepeated = [oldKeys, newKeys].contains { $0.contains { $0.repetition > 0 } }
        compareRows(rows, all: isRepeated ? count : nil)
        if !isRepeated, !restStays {
            sections = [:]
            (change.removed, change.inserted, change.moved, change.updated) = ([], [], [], [])
            (leftCounts, enteredCounts) = ([:], [:])
            compareRows(rows, all: count)
        }
        for (section, rows) in sections { addMoves(rows, in: section) }
        change.removed.sort()
        change.inserted.sort()
        change.moved.sort { $0.to < $1.to }
        change.updated.sort()
    }

    private static func keys(of places: SectionPlaces) -> [Key] {
        // The numbers are small and dense.
        var counts = Array(repeating: 0, count: (places.runs.lazy.map(\.number).max() ?? -1) + 1)
        return places.runs.map { run in
            defer { counts[run.number] += 1 }
            return Key(number: run.number, repetition: counts[run.number])
        }
    }

    private mutating func compareSections() {
        let (newIndices, oldIndices) = (newIndices, oldIndices)
        change.removedSections = RangeSet(ascending: newIndices.indices.filter { newIndices[$0] == nil })
        change.insertedSections = RangeSet(ascending: oldIndices.indices.filter { oldIndices[$0] == nil })
        let kept = oldIndices.indices.filter { oldIndices[$0] != nil }
        let staying = Set(longestAscent(of: kept.compactMap { oldIndices[$0] }))
        for (position, section) in kept.enumerated() where !staying.contains(position) {
            guard let old = oldIndices[section] else { continue }
            change.movedSections.append(.init(from: old, to: section))
        }
    }

    /// Whether the other rows, which have the same order in both values, have the same sections.
    private var restStays: Bool {
        let old = older.runs.indices.lazy.map {
            (newIndices[$0], older.runs[$0].count - (leftCounts[$0] ?? 0))
        }
        let new = newer.runs.indices.lazy.map { ($0, newer.runs[$0].count - (enteredCounts[$0] ?? 0)) }
        return old.filter { $0.1 != 0 }.elementsEqual(new.filter { $0.1 != 0 }) { $0 == $1 }
    }

    /// - Parameter count: the number of rows of the newer list, if all of them must be compared.
    private mutating func compareRows(_ rows: ListChange, all count: Int?) {
        for offset in rows.removed.ranges.joined() {
            let path = older.path(ofRow: offset)
            leftCounts[path.section, default: 0] += 1
            guard let section = newIndices[path.section] else { continue }
            change.removed.append(path)
            sections[section, default: Rows()].left.append(path.row)
        }
        for offset in rows.inserted.ranges.joined() {
            let path = newer.path(ofRow: offset)
            enteredCounts[path.section, default: 0] += 1
            guard oldIndices[path.section] != nil else { continue }
            change.inserted.append(path)
            sections[path.section, default: Rows()].entered.append(path.row)
        }
        for move in rows.moved {
            compareRow(
                from: move.from, to: move.to, isUpdated: rows.updated.contains(move.to), isMoved: true)
        }
        for (from, to) in count.map(rows.inPlace(of:)) ?? rows.updatedInPlace() {
            compareRow(from: from, to: to, isUpdated: rows.updated.contains(to), isMoved: false)
        }
    }

    /// Compares the places of a row in both values.
    private mutating func compareRow(from: Int, to: Int, isUpdated: Bool, isMoved: Bool) {
        let (old, new) = (older.path(ofRow: from), newer.path(ofRow: to))
        leftCounts[old.section, default: 0] += 1
        enteredCounts[new.section, default: 0] += 1
        let target = newIndices[old.section]
        let wasKept = oldIndices[new.section] != nil
        if isUpdated, wasKept, target != nil { change.updated.append(new) }
        guard target != new.section else {
            guard isMoved else { return }
            sections[new.section, default: Rows()].left.append(old.row)
            sections[new.section, default: Rows()].entered.append(new.row)
            sections[new.section, default: Rows()].moved.append(
                Pair(old: old.row, new: new.row, isUpdated: isUpdated))
            return
        }
        if let target { sections[target, default: Rows()].left.append(old.row) }
        if wasKept { sections[new.section, default: Rows()].entered.append(new.row) }
        switch (target != nil, wasKept) {
        case (true, true): change.moved.append(.init(from: old, to: new))
        case (true, false): change.removed.append(old)
        case (false, true): change.inserted.append(new)
        case (false, false): break
        }
    }

    /// Adds the moves inside of a section: a row that moved in the list may have the same place among the
    /// rows of its section.
    private mutating func addMoves(_ rows: Rows, in section: Int) {
        guard !rows.moved.isEmpty, let oldSection = oldIndices[section] else { return }
        let (left, entered) = (rows.left.sorted(), rows.entered.sorted())
        let leftIndices = Dictionary(uniqueKeysWithValues: zip(left, left.indices))
        let enteredIndices = Dictionary(uniqueKeysWithValues: zip(entered, entered.indices))
        let pairs = rows.moved.sorted { $0.new < $1.new }.compactMap { pair -> ListDifference.Pair? in
            guard let left = leftIndices[pair.old], let entered = enteredIndices[pair.new] else { return nil }
            return .init(left: left, entered: entered, isUpdated: pair.isUpdated)
        }
        let moves = ListDifference(left: left, entered: entered, pairs: pairs, updated: []).change.moved
        change.moved += moves.map { move in
            .init(
                from: SectionPath(section: oldSection, row: move.from),
                to: SectionPath(section: section, row: move.to))
        }
    }
}
