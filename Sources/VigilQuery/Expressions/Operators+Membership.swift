public import VigilEngine

// Whether ranges, sequences and requests contain an expression.

extension Range where Bound: SQLExpressible {
    /// Whether an expression is within the bounds.
    public func contains(_ element: some SQLSpecificExpressible) -> SQLExpression {
        halfOpenRange(lowerBound, upperBound, contains: element)
    }
}

extension CountableRange where Bound: SQLExpressible {
    /// Whether an expression is within the bounds.
    public func contains(_ element: some SQLSpecificExpressible) -> SQLExpression {
        halfOpenRange(lowerBound, upperBound, contains: element)
    }
}

extension ClosedRange where Bound: SQLExpressible {
    /// Whether an expression is within the bounds.
    public func contains(_ element: some SQLSpecificExpressible) -> SQLExpression {
        .between(element.sqlExpression, from: lowerBound.sqlExpression, to: upperBound.sqlExpression)
    }
}

extension CountableClosedRange where Bound: SQLExpressible {
    /// Whether an expression is within the bounds.
    public func contains(_ element: some SQLSpecificExpressible) -> SQLExpression {
        .between(element.sqlExpression, from: lowerBound.sqlExpression, to: upperBound.sqlExpression)
    }
}

// An endless range is a sequence too, if its bounds can be counted.

extension PartialRangeFrom where Bound: SQLExpressible {
    /// Whether an expression is at least the lower bound.
    ///
    /// ```swift
    /// // SELECT * FROM player WHERE score >= 1000
    /// let request = Player.filter((1000...).contains(Column("score")))
    /// ```
    public func contains(_ element: some SQLSpecificExpressible) -> SQLExpression {
        .operation(">=", of: element.sqlExpression, and: lowerBound.sqlExpression)
    }
}

extension CountablePartialRangeFrom where Bound: SQLExpressible {
    /// Whether an expression is at least the lower bound.
    public func contains(_ element: some SQLSpecificExpressible) -> SQLExpression {
        .operation(">=", of: element.sqlExpression, and: lowerBound.sqlExpression)
    }
}

extension PartialRangeUpTo where Bound: SQLExpressible {
    /// Whether an expression is less than the upper bound.
    public func contains(_ element: some SQLSpecificExpressible) -> SQLExpression {
        .operation("<", of: element.sqlExpression, and: upperBound.sqlExpression)
    }
}

extension PartialRangeThrough where Bound: SQLExpressible {
    /// Whether an expression is at most the upper bound.
    public func contains(_ element: some SQLSpecificExpressible) -> SQLExpression {
        .operation("<=", of: element.sqlExpression, and: upperBound.sqlExpression)
    }
}

private func halfOpenRange(
    _ lower: some SQLExpressible, _ upper: some SQLExpressible, contains element: some SQLExpressible
) -> SQLExpression {
    let element = element.sqlExpression
    return .chain(
        .and,
        [
            .operation(">=", of: element, and: lower.sqlExpression),
            .operation("<", of: element, and: upper.sqlExpression),
        ])
}

extension Sequence where Element: SQLExpressible {
    /// Whether an expression equals an element of the sequence. It is false if the sequence is empty.
    ///
    /// ```swift
    /// // SELECT * FROM player WHERE id IN (1, 2, 3)
    /// let request = Player.filter([1, 2, 3].contains(Column("id")))
    /// ```
    public func contains(_ element: some SQLSpecificExpressible) -> SQLExpression {
        element.sqlExpression.isContained(in: .expressions(map(\.sqlExpression)))
    }
}

extension Sequence<any SQLExpressible> {
    /// Whether an expression equals an element of the sequence. It is false if the sequence is empty.
    public func contains(_ element: some SQLSpecificExpressible) -> SQLExpression {
        element.sqlExpression.isContained(in: .expressions(map(\.sqlExpression)))
    }
}

extension SQLSubqueryable {
    /// Whether an expression equals the value of a row of the subquery.
    ///
    /// ```swift
    /// // SELECT * FROM player WHERE teamId IN (SELECT id FROM team WHERE color = 'red')
    /// let redTeams = Team.select(Column("id")).filter(Column("color") == "red")
    /// let request = Player.filter(redTeams.contains(Column("teamId")))
    /// ```
    public func contains(_ element: some SQLExpressible) -> SQLExpression {
        element.sqlExpression.isContained(in: .subquery(sqlSubquery))
    }

    /// Whether the subquery returns at least one row.
    ///
    /// ```swift
    /// // Teams with players.
    /// let team = TableAlias()
    /// let players = Player.filter(Column("teamId") == team[Column("id")])
    /// let request = Team.aliased(team).filter(players.exists())
    /// ```
    public func exists() -> SQLExpression { SQLExpression(.exists(sqlSubquery, isNegated: false)) }
}

extension SQLSpecificExpressible {
    /// Whether the expression matches a pattern of `LIKE`: `%` matches any text, `_` any character. The case
    /// of ASCII letters is ignored; on a PostgreSQL server, the case of all letters (`ILIKE`).
    ///
    /// ```swift
    /// Player.filter(Column("name").like("A%"))
    /// Player.filter(Column("name").like("100\\%", escape: "\\"))
    /// ```
    ///
    /// - Parameters:
    ///   - pattern: The pattern, such as `A%`.
    ///   - escape: The character before a literal `%` or `_`.
    public func like(_ pattern: some SQLExpressible, escape: (any SQLExpressible)? = nil) -> SQLExpression {
        SQLExpression(
            .like(
                sqlExpression, pattern.sqlExpression, escape: escape?.sqlExpression, isNegated: false))
    }

    /// Whether the expression matches a pattern of `GLOB`: `*` matches any text, `?` any character, and
    /// `[…]` one of several characters. Case matters.
    public func glob(_ pattern: some SQLExpressible) -> SQLExpression {
        SQLExpression(.operation("GLOB", sqlExpression, pattern.sqlExpression))
    }

    /// Returns the expression with a collation for comparisons and orderings.
    ///
    /// ```swift
    /// Player.filter(Column("email").collating(.nocase) == "arthur@example.com")
    /// ```
    public func collating(_ collation: Database.CollationName) -> SQLExpression {
        sqlExpression.collated(collation)
    }

    /// Returns the expression with a collation for comparisons and orderings.
    public func collating(_ collation: DatabaseCollation) -> SQLExpression {
        sqlExpression.collated(Database.CollationName(rawValue: collation.name))
    }
}
