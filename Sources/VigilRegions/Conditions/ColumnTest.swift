import VigilStorage

/// A tested column, with the collation of the test.
struct TestedColumn: Sendable, Hashable {
    enum Column: Sendable, Hashable {
        case rowID
        case named(ColumnName)
    }

    var column: Column
    var collation: RowCondition.Collation

    /// Returns whether the column comes before another one, in an arbitrary order for normal forms.
    func precedes(_ other: TestedColumn) -> Bool {
        switch (column, other.column) {
        case (.rowID, .named): return true
        case (.named, .rowID): return false
        case (.named(let one), .named(let two)) where one != two: return one.precedes(two)
        default: return collation.rank < other.collation.rank
        }
    }
}

extension RowCondition.Collation {
    fileprivate var rank: Int {
        switch self {
        case .binary: 0
        case .nocase: 1
        case .rtrim: 2
        }
    }
}

/// A ``RowCondition`` prepared for testing rows: its values are keys under its collation.
struct ColumnTest: Sendable, Hashable {
    enum Test: Sendable, Hashable {
        case equals(ComparisonKey)
        /// At least two keys, in order, each once.
        case oneOf([ComparisonKey])
        /// Any value but NULL, if the interval has no ends.
        indirect case within(Interval)
        /// Text beginning with these bytes, and all values except text and NULL.
        case prefix([UInt8])
        case isNull
    }

    var column: TestedColumn
    var test: Test

    /// The values of an equality; `nil` for other tests.
    var keys: [ComparisonKey]? {
        switch test {
        case .equals(let key): [key]
        case .oneOf(let keys): keys
        case .within, .prefix, .isNull: nil
        }
    }

    /// Returns whether a value meets the test; `nil` stands for NULL.
    func isMet(by value: ComparedValue?) -> Bool {
        guard let value else { return test == .isNull }
        return switch test {
        case .equals(let key): value.order(key) == 0
        case .oneOf(let keys): keys.contains(value)
        case .within(let interval): interval.contains(value)
        case .prefix(let prefix): value.begins(with: prefix)
        case .isNull: false
        }
    }
}

extension [ComparisonKey] {
    /// Returns whether the sorted keys contain a value, by binary search.
    fileprivate func contains(_ value: ComparedValue) -> Bool {
        var range = indices
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            let order = value.order(self[middle])
            if order == 0 { return true }
            range = order < 0 ? range.lowerBound..<middle : (middle + 1)..<range.upperBound
        }
        return false
    }
}

extension ColumnTest {
    /// The normal form of a condition.
    enum Normalized {
        case test(ColumnTest)
        /// The condition is not supported: any row counts as meeting it.
        case anyRow
        case noRow
    }

    static func normalized(_ condition: RowCondition) -> Normalized {
        let column: TestedColumn.Column =
            switch condition.column {
            case .rowID: .rowID
            case .named(let name): .named(ColumnName(name))
            }
        var tested = TestedColumn(column: column, collation: condition.collation)
        switch condition.test {
        case .oneOf(let values):
            let keys = values.compactMap { ComparisonKey($0, condition.collation) }
            guard keys.count == values.count else { return .anyRow }
            // Without text, the collation makes no difference.
            if !keys.contains(where: \.isText) { tested.collation = .binary }
            return equality(tested, keys)
        case .range(let lower, let upper):
            let interval = Interval(from: lower, to: upper, collation: condition.collation)
            if !interval.hasText { tested.collation = .binary }
            return .test(ColumnTest(column: tested, test: .within(interval)))
        case .isNull:
            tested.collation = .binary
            return .test(ColumnTest(column: tested, test: .isNull))
        case .isNotNull:
            tested.collation = .binary
            return .test(ColumnTest(column: tested, test: .within(Interval())))
        case .prefix(let prefix):
            // Spaces are significant in a prefix, whatever the collation.
            if tested.collation == .rtrim { tested.collation = .binary }
            guard case .text(let bytes)? = ComparisonKey(.text(prefix), tested.collation) else {
                return .anyRow
            }
            return .test(ColumnTest(column: tested, test: .prefix(bytes)))
        }
    }

    static func equality(_ column: TestedColumn, _ keys: [ComparisonKey]) -> Normalized {
        if keys.count == 1 { return .test(ColumnTest(column: column, test: .equals(keys[0]))) }
        var distinct: [ComparisonKey] = []
        for key in keys.sorted(by: { $0.order($1) < 0 }) where distinct.last != key { distinct.append(key) }
        switch distinct.count {
        case 0: return .noRow
        case 1: return .test(ColumnTest(column: column, test: .equals(distinct[0])))
        default: return .test(ColumnTest(column: column, test: .oneOf(distinct)))
        }
    }
}
