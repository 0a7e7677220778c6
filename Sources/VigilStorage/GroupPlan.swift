/// How the result of a statement with aggregates or groups can be kept up to date row by row, instead of
/// running the whole statement after each change.
///
/// Each row after FROM and WHERE makes a *contribution*: values of the row, then arguments of aggregates. The
/// ``contributions`` are a list without an order, whose first columns they are.
///
/// The first values belong to the GROUP BY terms. All other values must be the same for all contributions
/// of a group. If they are not, the result is not kept: a plan need not prove it.
///
/// ```swift
/// // SELECT team, COUNT(*), SUM(score) FROM player GROUP BY team
/// GroupPlan(
///     contributions: ListPlan(
///         sql: "SELECT team, score, player.rowid FROM player",
///         sources: [
///             .init(
///                 TableName(name: "player"),
///                 rowSQL: "SELECT team, score, player.rowid FROM player WHERE player.rowid = ?1")
///         ],
///         terms: [], columnCount: 2, parameterCount: 0),
///     groups: [.init()], valueCount: 1, argumentCount: 1,
///     aggregates: [.init(.countAll), .init(.sum, argument: 0)],
///     outputs: [.value(0), .aggregate(0), .aggregate(1)], parameterCount: 0)
/// ```
public struct GroupPlan: Sendable, Hashable {
    /// An aggregate of the statement.
    public struct Aggregate: Sendable, Hashable {
        /// The function.
        public enum Function: Sendable, Hashable {
            /// `COUNT(*)`, without an argument.
            case countAll
            /// `COUNT(x)`
            case count
            /// `COUNT(DISTINCT x)`
            case countDistinct
            /// `SUM(x)`
            case sum
            /// `TOTAL(x)`
            case total
            /// `AVG(x)`
            case average
            /// `MIN(x)`
            case minimum
            /// `MAX(x)`
            case maximum
        }

        /// The function.
        public var function: Function
        /// The index of the argument in a contribution. An argument of NULL makes no difference.
        public var argument: Int?
        /// How text is compared.
        public var collation: ListPlan.SortTerm.Collation

        /// Creates an aggregate.
        public init(
            _ function: Function, argument: Int? = nil,
            collation: ListPlan.SortTerm.Collation = .binary
        ) {
            self.function = function
            self.argument = argument
            self.collation = collation
        }
    }

    /// A value of a row of the result.
    public enum Output: Sendable, Hashable {
        /// A value of each contribution of the group.
        case value(Int)
        /// The result of an aggregate.
        case aggregate(Int)
        /// A column of ``evaluationSQL``.
        case expression(Int)
    }

    /// A term of the order of the groups.
    public struct OrderTerm: Sendable, Hashable {
        /// The value.
        public var output: Output
        /// How it is sorted.
        public var term: ListPlan.SortTerm

        /// Creates a term.
        public init(_ output: Output, _ term: ListPlan.SortTerm) {
            self.output = output
            self.term = term
        }
    }

    /// The statements for contributions. Each table is followed or linked, and none is watched.
    public var contributions: ListPlan
    /// The GROUP BY terms. The groups are in their order, if nothing else decides. `nil` without GROUP BY:
    /// there is then one group, even without contributions.
    public var groups: [ListPlan.SortTerm]?
    /// The number of values of a contribution.
    public var valueCount: Int
    /// The number of arguments of a contribution.
    public var argumentCount: Int
    /// The aggregates.
    public var aggregates: [Aggregate]
    /// The columns of the result.
    public var outputs: [Output]
    /// The ORDER BY terms.
    public var order: [OrderTerm]
    /// The statement that computes expressions from the results of the aggregates, the parameters after those
    /// of the planned statement. It returns no row for a group without a row in the result.
    public var evaluationSQL: String?
    /// The number of its columns.
    public var expressionCount: Int
    /// The maximum number of rows: an integer or a parameter; `nil` without one.
    public var limit: RowConditionTemplate.Operand?
    /// The number of rows to leave out at the beginning.
    public var offset: RowConditionTemplate.Operand?
    /// The number of parameters of the planned statement.
    public var parameterCount: Int
    /// Creates a plan.
    public init(
        contributions: ListPlan, groups: [ListPlan.SortTerm]? = nil, valueCount: Int = 0,
        argumentCount: Int = 0,
        aggregates: [Aggregate] = [], outputs: [Output], order: [OrderTerm] = [],
        evaluationSQL: String? = nil, expressionCount: Int = 0,
        limit: RowConditionTemplate.Operand? = nil, offset: RowConditionTemplate.Operand? = nil,
        parameterCount: Int
    ) {
        self.contributions = contributions
        self.groups = groups
        self.valueCount = valueCount
        self.argumentCount = argumentCount
        self.aggregates = aggregates
        self.outputs = outputs
        self.order = order
        self.evaluationSQL = evaluationSQL
        self.expressionCount = expressionCount
        self.limit = limit
        self.offset = offset
        self.parameterCount = parameterCount
    }
}

/// The plan of a statement's groups, or the reason why there is none.
public enum GroupPlanReport: Sendable, Hashable {
    /// The result can be kept up to date row by row.
    case plan(GroupPlan)
    /// It is fetched as a whole, for a reason such as ``noGroups``.
    case refused(String)

    /// The reason for a statement that returns the rows of its tables.
    public static let noGroups = "it has neither aggregates nor groups"
}
