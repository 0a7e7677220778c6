/// A condition on one column of one table, as a statement has it before values are bound to its parameters.
public struct RowConditionTemplate: Sendable, Hashable {
    public enum Operand: Sendable, Hashable {
        case value(StorageValue)
        /// A decimal number of which the backend may make this real, or one close by.
        case near(Double)
        /// A parameter, from 1 on.
        case parameter(Int)
    }

    /// An operator that holds a text against a pattern, with the meaning that SQLite gives it.
    public enum PatternOperator: Sendable, Hashable {
        /// `%` and `_` stand for others; the case of ASCII letters makes no difference.
        case like
        /// `*`, `?` and `[…]` stand for others.
        case glob
    }

    public struct Bound: Sendable, Hashable {
        public var operand: Operand
        public var isIncluded: Bool

        public init(_ operand: Operand, isIncluded: Bool) {
            self.operand = operand
            self.isIncluded = isIncluded
        }
    }

    public enum Test: Sendable, Hashable {
        /// It equals one of these. Nothing equals NULL.
        case oneOf([Operand])
        /// It equals this, or both are NULL.
        case identical(Operand)
        /// It is within the bounds. Nothing is less or greater than NULL.
        case range(lower: Bound?, upper: Bound?)
        case isNull
        case isNotNull
        /// It matches the pattern.
        case matches(PatternOperator, Operand)
    }

    public var column: RowCondition.Column
    public var test: Test
    /// What the column makes of the operands.
    public var affinity: ColumnAffinity
    /// How the column compares text; `nil` if that is not known. Patterns do not depend on it.
    public var collation: RowCondition.Collation?

    public init(
        _ column: RowCondition.Column, _ test: Test, affinity: ColumnAffinity,
        collation: RowCondition.Collation? = .binary
    ) {
        self.column = column
        self.test = test
        self.affinity = affinity
        self.collation = collation
    }

    /// The condition with values in place of the parameters, or `nil` if it cannot be kept with these: leaving it out
    /// is sound, it only lets more rows matter.
    ///
    /// A condition that no row meets, such as `team = NULL`, becomes ``RowCondition/Test/oneOf(_:)`` of nothing.
    ///
    /// - Parameter argument: the value of a parameter, from 1 on.
    public func bound(_ argument: (Int) -> StorageValue) -> RowCondition? {
        let test: RowCondition.Test?
        switch self.test {
        case .oneOf(let operands): test = oneOf(operands.map { compared($0, argument) })
        case .identical(let operand):
            let compared = compared(operand, argument)
            test = compared == .exactly(.null) ? .isNull : oneOf([compared])
        case .range(let lower, let upper): test = range(lower, upper, argument)
        case .isNull: test = .isNull
        case .isNotNull: test = .isNotNull
        case .matches(let sign, let operand): return matching(sign, operand, argument)
        }
        return test.map { RowCondition(column, $0, collation: collation ?? .binary) }
    }

    private func compared(_ operand: Operand, _ argument: (Int) -> StorageValue) -> ColumnAffinity.Compared? {
        switch operand {
        case .value(let value): affinity.compared(value)
        case .parameter(let index): affinity.compared(argument(index))
        case .near(let real): affinity.compared(near: real)
        }
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
        _ lower: Bound?, _ upper: Bound?, _ argument: (Int) -> StorageValue
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

    /// By how many neighbours a library may miss the nearest real.
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
        // What follows a zero byte is not compared.
        case .nocase: return !text.utf8.contains(0)
        }
    }

    /// Versions differ in the order of what precedes a space, where spaces at the end are ignored.
    private func hasKnownOrder(_ value: StorageValue) -> Bool {
        guard case .text = value else { return true }
        return collation != .rtrim && hasKnownEquality(value)
    }
}
