import VigilEngine

/// An association of any type, as an opaque value.
///
/// ```swift
/// let association: _SQLAssociation = Book.author._sqlAssociation
/// ```
public struct _SQLAssociation: Sendable {
    /// One table on the way, and the condition that links its rows to the previous table's.
    struct Step: Sendable {
        var key: AssociationKey
        var condition: AssociationCondition
        var query: Query
        /// Whether a row is linked to at most one row, unless the condition is an expression.
        var isToOne: Bool

        var keyName: String { isToOne ? key.singularName : key.pluralName }
    }

    /// The tables on the way; at least one.
    private(set) var steps: [Step]

    init(_ step: Step) {
        steps = [step]
    }

    private init(steps: [Step]) {
        self.steps = steps
    }

    /// The last step: the associated table.
    var destination: Step {
        get { steps[steps.count - 1] }
        set { steps[steps.count - 1] = newValue }
    }

    /// The first step.
    var pivot: Step {
        get { steps[0] }
        set { steps[0] = newValue }
    }

    /// The steps without the last one; `nil` if there is only one.
    var withoutDestination: _SQLAssociation? {
        steps.count > 1 ? _SQLAssociation(steps: Array(steps.dropLast())) : nil
    }

    var keyPath: [String] { steps.map(\.keyName) }

    /// Returns the association as a continuation of another one.
    func through(_ other: _SQLAssociation) -> _SQLAssociation {
        _SQLAssociation(steps: other.steps + steps)
    }

    func with(_ change: (inout _SQLAssociation) -> Void) -> _SQLAssociation {
        var association = self
        change(&association)
        return association
    }

    /// Returns the query of the destination, joined with the previous steps in the opposite direction.
    ///
    /// It returns a row for each way from a row of the ``pivot``.
    func destinationQuery() -> Query {
        guard steps.count > 1 else { return destination.query }
        let reversed = zip(steps, steps.dropFirst()).map { step, next in
            Step(
                key: step.key.prefixed(by: "grdb_"),
                condition: next.condition.reversed(to: step.query.table),
                query: step.query.selectingNothing().withoutPrefetches(),
                isToOne: next.condition.isToOneReversed)
        }
        return destination.query.with {
            $0.append(_SQLAssociation(steps: reversed.reversed()), .required)
        }
    }
}
