import VigilStorage

/// A conjunction of tests. Every row meets an empty one.
struct Conjunction: Sendable, Hashable {
    /// The tests in normal form: in order, each once, at most one equality for each tested column.
    private(set) var tests = CompactList<ColumnTest>()

    /// Returns `nil` if no row can meet the conditions.
    init?(_ conditions: [RowCondition]) {
        for condition in conditions {
            switch ColumnTest.normalized(condition) {
            case .test(let test): guard add(test) else { return nil }
            case .anyRow: continue
            case .noRow: return nil
            }
        }
        sort()
    }

    init(_ test: ColumnTest) {
        tests.append(test)
    }

    /// Returns a conjunction for the rows meeting both; `nil` if no row can.
    func intersection(_ other: Conjunction) -> Conjunction? {
        var both = self
        for test in other.tests {
            guard both.add(test) else { return nil }
        }
        both.sort()
        return both
    }

    func without(_ doubtful: DoubtfulConditions) -> Conjunction {
        var others = self
        others.tests = CompactList(tests.filter { !$0.isAmong(doubtful) })
        return others
    }

    /// The column and keys of the only test, if it is an equality. Such conjunctions on one column can be
    /// combined into one equality with all keys.
    var loneEquality: (column: TestedColumn, keys: [ComparisonKey])? {
        guard tests.count == 1, let keys = tests[0].keys else { return nil }
        return (tests[0].column, keys)
    }

    var valueCount: Int { tests.reduce(0) { $0 + ($1.keys?.count ?? 1) } }

    private mutating func add(_ test: ColumnTest) -> Bool {
        if tests.contains(test) { return true }
        guard let keys = test.keys,
            let index = tests.firstIndex(where: { $0.column == test.column && $0.keys != nil }),
            let others = tests[index].keys
        else {
            tests.append(test)
            return true
        }
        let known = Set(others)
        guard case .test(let both) = ColumnTest.equality(test.column, keys.filter(known.contains)) else {
            return false
        }
        tests[index] = both
        return true
    }

    private mutating func sort() {
        if tests.count > 1 { tests.sort { $0.precedes($1) } }
    }
}

extension Conjunction {
    /// Returns whether this version of the row may meet the tests. An unknown value may be any value.
    func isMet(by values: RowValues, _ version: RowValues.Version) -> Bool {
        tests.allSatisfy { test in
            values.withValue(of: test.column, version) { value in
                switch value {
                case .unknown: true
                case .known(let value): test.isMet(by: value)
                }
            }
        }
    }

    /// Returns whether the conjunction comes before another one, in an arbitrary order for normal forms.
    func precedes(_ other: Conjunction) -> Bool {
        for (one, two) in zip(tests, other.tests) where one != two { return one.precedes(two) }
        return tests.count < other.tests.count
    }
}

extension ColumnTest {
    fileprivate func precedes(_ other: ColumnTest) -> Bool {
        if column != other.column { return column.precedes(other.column) }
        switch (test, other.test) {
        case (.within(let one), .within(let two)):
            if one.begins(before: two) { return true }
            if two.begins(before: one) { return false }
            return two.ends(after: one)
        case (.prefix(let one), .prefix(let two)): return one.lexicographicallyPrecedes(two)
        default: break
        }
        guard let keys, let others = other.keys else { return rank < other.rank }
        for (one, two) in zip(keys, others) where one != two { return one.order(two) < 0 }
        return keys.count < others.count
    }

    private var rank: Int {
        switch test {
        case .equals, .oneOf: 0
        case .within: 1
        case .isNull: 2
        case .prefix: 3
        }
    }
}
