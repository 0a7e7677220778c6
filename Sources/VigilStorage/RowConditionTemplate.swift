/// A condition on one column of one table, before values are bound to the statement's parameters.
///
/// A backend creates templates for ``StorageStatement/rowConditions``, such as this one for `team = ?1`:
///
/// ```swift
/// RowConditionTemplate(.named("team"), .oneOf([.parameter(1)]), affinity: .numeric)
/// ```
public struct RowConditionTemplate: Sendable, Hashable {
    /// A value to compare a column with.
    public enum Operand: Sendable, Hashable {
        /// A literal value.
        case value(StorageValue)
        /// A decimal number. The library converts it to this real, or to one close to it.
        case near(Double)
        /// The parameter with this index. The first one is 1.
        case parameter(Int)
        /// Each element of the array in the parameter with this index.
        case elements(Int)
    }

    /// An operator to match text with a pattern, with SQLite's semantics.
    public enum PatternOperator: Sendable, Hashable {
        /// `LIKE`: `%` and `_` are wildcards, and the case of ASCII letters is ignored.
        case like
        /// `GLOB`: `*`, `?` and `[…]` are wildcards.
        case glob
    }

    /// An end of a range.
    public struct Bound: Sendable, Hashable {
        /// The value of the bound.
        public var operand: Operand
        /// Whether the range contains the bound itself.
        public var isIncluded: Bool

        /// Creates a bound.
        public init(_ operand: Operand, isIncluded: Bool) {
            self.operand = operand
            self.isIncluded = isIncluded
        }
    }

    /// The test of the column's value.
    public enum Test: Sendable, Hashable {
        /// The value equals one of these. Nothing equals NULL.
        case oneOf([Operand])
        /// The value equals this one, or both are NULL.
        case identical(Operand)
        /// The value lies within the bounds. Nothing is less or greater than NULL.
        case range(lower: Bound?, upper: Bound?)
        /// The value is NULL.
        case isNull
        /// The value is not NULL.
        case isNotNull
        /// The value matches the pattern.
        case matches(PatternOperator, Operand)
    }

    /// The tested column.
    public var column: RowCondition.Column
    /// The test of the column's value.
    public var test: Test
    /// The column's conversion of the operands.
    public var affinity: ColumnAffinity
    /// How the column compares text; `nil` if it is not known. Patterns do not depend on it.
    public var collation: RowCondition.Collation?

    /// Creates a template.
    public init(
        _ column: RowCondition.Column, _ test: Test, affinity: ColumnAffinity,
        collation: RowCondition.Collation? = .binary
    ) {
        self.column = column
        self.test = test
        self.affinity = affinity
        self.collation = collation
    }

    /// Returns the condition with values in place of the parameters; `nil` if its meaning is not certain for
    /// these values.
    ///
    /// Leaving out a condition is sound: more rows then count as relevant. An impossible condition, such as
    /// `team = NULL`, becomes ``RowCondition/Test/oneOf(_:)`` with an empty list.
    ///
    /// - Parameter argument: returns the value of a parameter, given its index. The first one is 1.
    public func bound(_ argument: (Int) -> StorageValue) -> RowCondition? {
        bound { index -> [StorageValue]? in [argument(index)] }
    }

    /// - Parameter argument: returns the value to compare with a parameter, several for an array, or `nil` if
    ///   it is not certain.
    package func bound(_ argument: (Int) -> [StorageValue]?) -> RowCondition? {
        let test: RowCondition.Test?
        switch self.test {
        case .oneOf(let operands): test = oneOf(operands.flatMap { elements($0, argument) })
        case .identical(let operand):
            let compared = compared(operand, argument)
            test = compared == .exactly(.null) ? .isNull : oneOf([compared])
        case .range(let lower, let upper): test = range(from: lower, to: upper, argument)
        case .isNull: test = .isNull
        case .isNotNull: test = .isNotNull
        case .matches(let patternOperator, let operand):
            return matching(operand, by: patternOperator, argument)
        }
        return test.map { RowCondition(column, $0, collation: collation ?? .binary) }
    }

    private func compared(_ operand: Operand, _ argument: (Int) -> [StorageValue]?)
        -> ColumnAffinity.Compared?
    {
        switch operand {
        case .value(let value): affinity.compared(value)
        case .parameter(let index):
            argument(index).flatMap { $0.count == 1 ? affinity.compared($0[0]) : nil }
        case .near(let real): affinity.compared(near: real)
        case .elements: nil
        }
    }

    private func elements(_ operand: Operand, _ argument: (Int) -> [StorageValue]?)
        -> [ColumnAffinity.Compared?]
    {
        guard case .elements(let index) = operand else { return [compared(operand, argument)] }
        return argument(index)?.map { affinity.compared($0) } ?? [nil]
    }

    private func oneOf(_ operands: [ColumnAffinity.Compared?]) -> RowCondition.Test? {
        var values: [StorageValue] = []
        for operand in operands {
            switch operand {
            case .exactly(.null): continue
            case .exactly(let value) where hasKnownEquality(value): values.append(value)
            case .near(let real) where operands.count == 1:
                return .range(lower: bound(below: real), upper: bound(above: real))
            default: return nil
            }
        }
        return .oneOf(values)
    }

    private func range(
        from lower: Bound?, to upper: Bound?, _ argument: (Int) -> [StorageValue]?
    ) -> RowCondition.Test? {
        let lowest = lower.map { compared($0.operand, argument) }
        let highest = upper.map { compared($0.operand, argument) }
        if lowest == .exactly(.null) || highest == .exactly(.null) { return .oneOf([]) }
        let lowerBound = lower.flatMap { bound -> RowCondition.Bound? in
            switch lowest {
            case .some(.exactly(let value)?) where hasKnownOrder(value):
                RowCondition.Bound(value, isIncluded: bound.isIncluded)
            case .some(.near(let real)?): self.bound(below: real)
            default: nil
            }
        }
        let upperBound = upper.flatMap { bound -> RowCondition.Bound? in
            switch highest {
            case .some(.exactly(let value)?) where hasKnownOrder(value):
                RowCondition.Bound(value, isIncluded: bound.isIncluded)
            case .some(.near(let real)?): self.bound(above: real)
            default: nil
            }
        }
        return lowerBound == nil && upperBound == nil ? nil : .range(lower: lowerBound, upper: upperBound)
    }

    /// The maximum distance of a library's conversion from the nearest real, in representable reals.
    private static let roundingSteps = 4

    private func bound(below real: Double) -> RowCondition.Bound {
        let value = (0..<Self.roundingSteps).reduce(real) { value, _ in value.nextDown }
        return RowCondition.Bound(.real(value), isIncluded: true)
    }

    private func bound(above real: Double) -> RowCondition.Bound {
        let value = (0..<Self.roundingSteps).reduce(real) { value, _ in value.nextUp }
        return RowCondition.Bound(.real(value), isIncluded: true)
    }

    private func hasKnownEquality(_ value: StorageValue) -> Bool {
        guard case .text(let text) = value else { return true }
        switch collation {
        case nil: return false
        case .binary, .rtrim: return true
        // The library does not compare what follows a zero byte.
        case .nocase: return !text.utf8.contains(0)
        }
    }

    /// Returns whether the order of a value is known: versions of the library differ in how `RTRIM` orders
    /// characters that precede the space.
    private func hasKnownOrder(_ value: StorageValue) -> Bool {
        guard case .text = value else { return true }
        return collation != .rtrim && hasKnownEquality(value)
    }
}
