import VigilStorage

/// The significant rows of a table: any row meeting one of several conjunctions.
///
/// An immutable class, because an observer's region and the index share one instance.
final class RowPredicates: Sendable {
    /// The maximum numbers of conjunctions, and of values in all of them. Beyond them, any row counts as
    /// meeting the predicates. Each match of the index checks all conjunctions, and each further statement of
    /// an observation all values (1,024 values: 16 KiB, and 20 µs for adding one).
    static let alternativeLimit = 64
    static let valueLimit = 1_024

    /// The conjunctions, in order, each once. Without conjunctions, no row is significant.
    let alternatives: CompactList<Conjunction>
    let testsRowID: Bool
    private let hash: Int

    /// - Parameter alternatives: the conjunctions, in normal form.
    private init(alternatives: [Conjunction]) {
        self.alternatives = CompactList(alternatives)
        testsRowID = alternatives.contains { $0.tests.contains { $0.column.column == .rowID } }
        var hasher = Hasher()
        hasher.combine(alternatives)
        hash = hasher.finalize()
    }

    /// The tested stored columns.
    var columns: ColumnSet {
        var columns = ColumnSet()
        for test in alternatives.lazy.map(\.tests).joined() {
            if case .named(let name) = test.column.column { columns.insert(name) }
        }
        return columns
    }

    /// Returns the disjunction of the conjunctions; `nil` if any row meets them, or if there are too many.
    static func any(of conjunctions: some Sequence<[RowCondition]>) -> RowPredicates? {
        uniting(conjunctions.compactMap { Conjunction($0) })
    }

    /// Returns the rows with these ids; `nil` if there are too many to keep.
    static func rowIDs(_ rowIDs: Set<Int64>) -> RowPredicates? {
        guard rowIDs.count <= valueLimit else { return nil }
        let column = TestedColumn(column: .rowID, collation: .binary)
        guard case .test(let test) = ColumnTest.equality(column, rowIDs.map { .integer($0) }) else {
            return RowPredicates(alternatives: [])
        }
        return RowPredicates(alternatives: [Conjunction(test)])
    }

    private static func uniting(_ conjunctions: [Conjunction]) -> RowPredicates? {
        // Nothing to combine (bench: one-row-hit).
        if conjunctions.count == 1, conjunctions[0].valueCount <= valueLimit {
            return conjunctions[0].tests.isEmpty ? nil : RowPredicates(alternatives: conjunctions)
        }
        var equalities: [TestedColumn: [ComparisonKey]] = [:]
        var alternatives: [Conjunction] = []
        for conjunction in conjunctions {
            if conjunction.tests.isEmpty { return nil }
            if let (column, keys) = conjunction.loneEquality, conjunctions.count > 1 {
                equalities[column, default: []] += keys
            } else {
                alternatives.append(conjunction)
            }
        }
        for (column, keys) in equalities {
            if case .test(let test) = ColumnTest.equality(column, keys) {
                alternatives.append(Conjunction(test))
            }
        }
        alternatives.sort { $0.precedes($1) }
        var distinct: [Conjunction] = []
        for conjunction in alternatives where distinct.last != conjunction { distinct.append(conjunction) }
        guard distinct.count <= alternativeLimit,
            distinct.reduce(0, { $0 + $1.valueCount }) <= valueLimit
        else { return nil }
        return RowPredicates(alternatives: distinct)
    }

    /// Returns the rows meeting either predicate; `nil` if there are too many conjunctions to keep.
    func union(_ other: RowPredicates) -> RowPredicates? {
        if self == other || other.alternatives.isEmpty { return self }
        return alternatives.isEmpty ? other : Self.uniting(Array(alternatives) + other.alternatives)
    }

    /// Returns the predicates without doubtful tests; `nil` if any row meets the remaining ones.
    func without(_ doubtful: DoubtfulConditions) -> RowPredicates? {
        Self.uniting(alternatives.map { $0.without(doubtful) })
    }

    /// Returns at least the rows meeting both predicates. If there are too many conjunctions to keep, it
    /// returns one of the two.
    func intersection(_ other: RowPredicates) -> RowPredicates {
        if self == other { return self }
        let few = alternatives.count <= other.alternatives.count ? self : other
        guard alternatives.count * other.alternatives.count <= Self.alternativeLimit else { return few }
        let both = alternatives.flatMap { one in other.alternatives.compactMap { one.intersection($0) } }
        return Self.uniting(both) ?? few
    }
}

extension RowPredicates: Hashable {
    static func == (a: RowPredicates, b: RowPredicates) -> Bool {
        a === b || (a.hash == b.hash && a.alternatives == b.alternatives)
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(hash)
    }
}

extension RowPredicates {
    /// Returns whether an update may change a tested column.
    func areMatched(by updated: UpdatedColumns) -> Bool {
        alternatives.contains { conjunction in
            conjunction.tests.contains { test in
                if case .named(let name) = test.column.column { updated.intersects(name) } else { false }
            }
        }
    }

    /// Returns the index of the first conjunction that the given version of the row may meet.
    func firstMet(by values: RowValues, _ version: RowValues.Version) -> Int? {
        alternatives.firstIndex { $0.isMet(by: values, version) }
    }
}
