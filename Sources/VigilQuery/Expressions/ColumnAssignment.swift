public import VigilEngine

/// An assignment to a column, for
/// ``QueryInterfaceRequest/updateAll(_:onConflict:_:)-(_,_,[ColumnAssignment])`` and upserts.
///
/// ```swift
/// try Player.filter(Column("team") == "red").updateAll(db, Column("score") += 10)
/// ```
public struct ColumnAssignment: Sendable {
    /// The name of the column.
    package let column: String
    /// The assigned expression; `nil` if an upsert must not overwrite the column.
    package let value: SQLExpression?
}

extension ColumnAssignment {
    /// Writes `"score" = "score" + ?`.
    ///
    /// - Throws: `SQLITE_MISUSE` for ``ColumnExpression/noOverwrite``, because it assigns nothing.
    package func write(to writer: inout SQLWriter) throws {
        guard let value else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "noOverwrite assigns nothing to the column \(column): use it in upserts only")
        }
        writer.write(identifier: column)
        writer.write(" = ")
        try writer.write(value)
    }
}

/// How an upsert updates the columns of a conflicting row, unless they have explicit assignments.
///
/// ```swift
/// try player.upsertAndFetch(db, updating: .noColumnUnlessSpecified) { _ in
///     [Column("score").set(to: 0)]
/// }
/// ```
public struct UpsertUpdateStrategy: OptionSet, Sendable {
    /// The raw value.
    public let rawValue: Int

    /// Creates a strategy.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Only columns with an assignment are updated.
    public static let noColumnUnlessSpecified = Self([])

    /// All inserted columns are updated, except for the primary key, the conflict target, and columns with
    /// explicit assignments.
    public static let allColumns = Self(rawValue: 1 << 0)
}

extension ColumnExpression {
    /// Returns the assignment of a value or expression; of NULL for `nil`.
    ///
    /// ```swift
    /// try Player.updateAll(db, Column("score").set(to: 0))
    /// ```
    public func set(to value: (any SQLExpressible)?) -> ColumnAssignment {
        ColumnAssignment(column: name, value: SQLExpression(orNull: value))
    }

    /// Lets an upsert keep the column's value in the existing row.
    public var noOverwrite: ColumnAssignment { ColumnAssignment(column: name, value: nil) }

    /// Adds a value to the column.
    public static func += (column: Self, value: some SQLExpressible) -> ColumnAssignment {
        column.set(to: .chain(.add, [column.sqlExpression, value.sqlExpression]) as SQLExpression)
    }

    /// Subtracts a value from the column.
    public static func -= (column: Self, value: some SQLExpressible) -> ColumnAssignment {
        column.set(to: .operation("-", of: column.sqlExpression, and: value.sqlExpression) as SQLExpression)
    }

    /// Multiplies the column by a value.
    public static func *= (column: Self, value: some SQLExpressible) -> ColumnAssignment {
        column.set(to: .chain(.multiply, [column.sqlExpression, value.sqlExpression]) as SQLExpression)
    }

    /// Divides the column by a value.
    public static func /= (column: Self, value: some SQLExpressible) -> ColumnAssignment {
        column.set(to: .operation("/", of: column.sqlExpression, and: value.sqlExpression) as SQLExpression)
    }

    /// Assigns the bitwise AND of the column and a value.
    public static func &= (column: Self, value: some SQLExpressible) -> ColumnAssignment {
        column.set(to: .chain(.bitwiseAnd, [column.sqlExpression, value.sqlExpression]) as SQLExpression)
    }

    /// Assigns the bitwise OR of the column and a value.
    public static func |= (column: Self, value: some SQLExpressible) -> ColumnAssignment {
        column.set(to: .chain(.bitwiseOr, [column.sqlExpression, value.sqlExpression]) as SQLExpression)
    }

    /// Shifts the column's bits to the left.
    public static func <<= (column: Self, value: some SQLExpressible) -> ColumnAssignment {
        column.set(to: .operation("<<", of: column.sqlExpression, and: value.sqlExpression) as SQLExpression)
    }

    /// Shifts the column's bits to the right.
    public static func >>= (column: Self, value: some SQLExpressible) -> ColumnAssignment {
        column.set(to: .operation(">>", of: column.sqlExpression, and: value.sqlExpression) as SQLExpression)
    }
}
