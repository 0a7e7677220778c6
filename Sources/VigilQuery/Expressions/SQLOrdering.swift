package import VigilEngine

/// A type that orders the rows of a request: a column or an expression, with or without a direction.
///
/// ```swift
/// let request = Player.order(Column("score").desc, Column("name"))
/// ```
public protocol SQLOrderingTerm {
    /// The ordering.
    var sqlOrdering: SQLOrdering { get }
}

/// A term of an `ORDER BY` clause, as an opaque value.
///
/// ```swift
/// let byScore: SQLOrdering = Column("score").desc
/// ```
public struct SQLOrdering: Sendable {
    package enum Direction: Sendable {
        case unspecified
        case ascending
        case descending
        case ascendingNullsLast
        case descendingNullsFirst

        var needsNullsOrdering: Bool { self == .ascendingNullsLast || self == .descendingNullsFirst }
    }

    package enum Content: Sendable {
        case expression(SQLExpression, Direction)
        /// SQL of any number of terms.
        case literal(SQL)
    }

    package let content: Content

    package init(_ content: Content) {
        self.content = content
    }
}

extension SQLOrdering: SQLOrderingTerm {
    /// The ordering itself.
    public var sqlOrdering: SQLOrdering { self }
}

extension SQLSpecificExpressible {
    /// An ascending ordering, with NULL first.
    public var asc: SQLOrdering { SQLOrdering(.expression(sqlExpression, .ascending)) }

    /// A descending ordering, with NULL last.
    public var desc: SQLOrdering { SQLOrdering(.expression(sqlExpression, .descending)) }

    /// An ascending ordering, with NULL last. It requires SQLite 3.30.
    public var ascNullsLast: SQLOrdering { SQLOrdering(.expression(sqlExpression, .ascendingNullsLast)) }

    /// A descending ordering, with NULL first. It requires SQLite 3.30.
    public var descNullsFirst: SQLOrdering { SQLOrdering(.expression(sqlExpression, .descendingNullsFirst)) }
}

extension SQLOrdering {
    /// Returns the opposite ordering.
    ///
    /// - Throws: `SQLITE_MISUSE` for a literal, because it cannot be reversed.
    func reversed() throws -> SQLOrdering {
        guard case .expression(let expression, let direction) = content else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message:
                    "an SQL literal cannot be reversed: order by SQL(\"…\").sqlExpression or by columns instead"
            )
        }
        let opposite: Direction =
            switch direction {
            case .unspecified, .ascending: .descending
            case .descending: .ascending
            case .ascendingNullsLast: .descendingNullsFirst
            case .descendingNullsFirst: .ascendingNullsLast
            }
        return SQLOrdering(.expression(expression, opposite))
    }
}
