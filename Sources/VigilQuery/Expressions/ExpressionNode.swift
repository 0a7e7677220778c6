public import VigilEngine
import VigilStorage

/// An expression of the query interface.
package enum ExpressionNode: Sendable {
    package enum Equality: String, Sendable {
        case equal
        case notEqual
        /// Equality with NULL equal to itself.
        case identical
        case notIdentical
    }

    /// A column of the table of the enclosing request.
    case column(String)
    case columnOf(TableAliasBase, String)
    /// A name never qualified by a table.
    case detachedColumn(String)
    /// The column to identify a row of the request's table with the least cost.
    case rowKey
    /// The column to identify a row of an aliased table with the least cost.
    case rowKeyOf(TableAliasBase)
    /// Several expressions in parentheses.
    case row([SQLExpression])
    /// A binary operator.
    case operation(String, SQLExpression, SQLExpression)
    case equality(Equality, SQLExpression, SQLExpression)
    /// Operands joined by an operator; at least two.
    case chain(SQLExpression.AssociativeBinaryOperator, [SQLExpression])
    case prefix(String, SQLExpression)
    case not(SQLExpression)
    indirect case between(SQLExpression, SQLExpression, SQLExpression, isNegated: Bool)
    indirect case like(SQLExpression, SQLExpression, escape: SQLExpression?, isNegated: Bool)
    indirect case membership(SQLExpression, ExpressionSet, isNegated: Bool)
    indirect case exists(SQLSubquery, isNegated: Bool)
    /// Whether an aliased table has a row in a join.
    case rowExists(TableAliasBase, isNegated: Bool)
    /// `table MATCH pattern`, of the request's table.
    case tableMatch(SQLExpression)
    /// A function of the request's full-text table.
    case fullText(FullTextCall)
    case collated(SQLExpression, Database.CollationName)
    case cast(SQLExpression, Database.StorageClass)
    indirect case function(FunctionCall)
    case countAll
    /// An expression read by JSON functions as JSON instead of text.
    case json(SQLExpression)
    /// `value -> path` or `value ->> path`.
    indirect case extraction(String, SQLExpression, path: SQLExpression)
    /// Whether a number of rows is zero.
    case countIsZero(SQLExpression, isNegated: Bool)
    /// An aggregate over the rows of an aliased table, counting each row once.
    case aggregate(SQLExpression, of: TableAliasBase)
    /// An expression with the columns of an aliased table.
    case aliased(SQLExpression, TableAliasBase)
    indirect case subquery(SQLSubquery)
    case literal(SQL)
}

extension ExpressionNode {
    /// Whether this is an operator with two operands or more, to which a collation may belong.
    var isBinaryOperation: Bool {
        switch self {
        case .operation, .equality, .chain, .between, .like: true
        default: false
        }
    }
}

/// An object that stores a node, so an expression is as small as a value.
package final class NodeReference: Sendable {
    package let node: ExpressionNode

    init(_ node: ExpressionNode) {
        self.node = node
    }

    var isCollated: Bool { if case .collated = node { true } else { false } }

    /// Whether this is an operation whose operands are compared with a collation.
    var isCollatedOperation: Bool {
        if case .collated(let inner, _) = node { inner.isBinaryOperation } else { false }
    }

    var isChain: Bool { if case .chain = node { true } else { false } }

    var needsParentheses: Bool { node.needsParentheses }
}

/// The right operand of `IN`.
package enum ExpressionSet: Sendable {
    case expressions([SQLExpression])
    case subquery(SQLSubquery)
    case table(String)
}

/// A call of an SQL function.
package struct FunctionCall: Sendable {
    var name: String
    var arguments: [SQLExpression]
    var isAggregate = false
    var isDistinct = false
    var ordering: SQLOrdering?
    var filter: SQLExpression?
    /// Whether the result is JSON, not taken for text by other JSON functions.
    var isJSON = false
    /// The feature of libraries with the function; `nil` if all libraries have it.
    var feature: LibraryFeature?
}

// MARK: - Composing

extension SQLExpression {
    package static func equality(
        _ test: ExpressionNode.Equality, of a: SQLExpression, and b: SQLExpression
    )
        -> SQLExpression
    {
        hoistingCollation(of: a, and: b) { SQLExpression(.equality(test, $0, $1)) }
    }

    /// Returns `a = b`, or `a IS NULL` if an operand is a literal NULL.
    package static func equal(_ a: SQLExpression, _ b: SQLExpression) -> SQLExpression {
        if b.isNullLiteral { return equality(.identical, of: a, and: .null) }
        return a.isNullLiteral ? equality(.identical, of: b, and: .null) : equality(.equal, of: a, and: b)
    }

    /// Returns `a IS b` or `a IS NOT b`, with a literal NULL on the right.
    package static func identical(
        _ test: ExpressionNode.Equality, of a: SQLExpression, and b: SQLExpression
    )
        -> SQLExpression
    {
        a.isNullLiteral ? equality(test, of: b, and: a) : equality(test, of: a, and: b)
    }

    package static func operation(
        _ symbol: String, of a: SQLExpression, and b: SQLExpression
    ) -> SQLExpression {
        hoistingCollation(of: a, and: b) { SQLExpression(.operation(symbol, $0, $1)) }
    }

    package static func between(
        _ value: SQLExpression, from lower: SQLExpression, to upper: SQLExpression
    )
        -> SQLExpression
    {
        SQLExpression(.between(value, lower, upper, isNegated: false))
    }

    /// Joins expressions with an operator. Nested chains of the same operator become one chain, unless it
    /// would change the result.
    package static func chain(_ chainOperator: AssociativeBinaryOperator, _ operands: [SQLExpression])
        -> SQLExpression
    {
        var flat = operands
        if chainOperator.isFlattened, operands.contains(where: \.isChain) {
            flat = operands.flatMap { operand in
                if case .chain(chainOperator, let inner)? = operand.node { inner } else { [operand] }
            }
        }
        switch flat.count {
        case 0: return SQLExpression(.value(chainOperator.neutralValue))
        case 1: return flat[0]
        default: return SQLExpression(.chain(chainOperator, flat))
        }
    }

    /// Returns several expressions as a row value; one expression as it is.
    package static func row(_ expressions: [SQLExpression]) -> SQLExpression {
        expressions.count == 1 ? expressions[0] : SQLExpression(.row(expressions))
    }

    package static func function(
        _ name: String, _ arguments: [SQLExpression], isAggregate: Bool = false
    ) -> SQLExpression {
        SQLExpression(
            .function(FunctionCall(name: name, arguments: arguments, isAggregate: isAggregate)))
    }

    package func isContained(in set: ExpressionSet) -> SQLExpression {
        guard case .expressions(let expressions) = set else {
            return SQLExpression(.membership(self, set, isNegated: false))
        }
        switch expressions.count {
        case 0: return false.sqlExpression
        // Not `IS NULL`, even for NULL, because `IN` never contains NULL.
        case 1: return .equality(.equal, of: self, and: expressions[0])
        default: return SQLExpression(.membership(self, set, isNegated: false))
        }
    }

    package func collated(_ name: Database.CollationName) -> SQLExpression {
        switch node {
        // A collation after `IN` or `NOT` would apply to its result.
        case .membership(let element, let set, let isNegated):
            SQLExpression(.membership(element.collated(name), set, isNegated: isNegated))
        case .not(let operand): SQLExpression(.not(operand.collated(name)))
        // A collation after `BETWEEN` would not apply to the comparison with the lower bound.
        case .between(let value, let lower, let upper, let isNegated):
            SQLExpression(.between(value.collated(name), lower, upper, isNegated: isNegated))
        case .chain(let chainOperator, let operands):
            SQLExpression(.chain(chainOperator, operands.map { $0.collated(name) }))
        default:
            SQLExpression(.collated(self, name))
        }
    }

    /// Moves the collation of an operand after the operation, where it applies to the comparison as well.
    private static func hoistingCollation(
        of a: SQLExpression, and b: SQLExpression,
        in operation: (SQLExpression, SQLExpression) -> SQLExpression
    ) -> SQLExpression {
        guard a.isCollated || b.isCollated else { return operation(a, b) }
        if !a.isCollatedOperation, case .collated(let inner, let name)? = a.node {
            return SQLExpression(.collated(hoistingCollation(of: inner, and: b, in: operation), name))
        }
        if !b.isCollatedOperation, case .collated(let inner, let name)? = b.node {
            return SQLExpression(.collated(hoistingCollation(of: a, and: inner, in: operation), name))
        }
        return operation(a, b)
    }
}

extension SQLExpression {
    /// An operator to join any number of expressions.
    ///
    /// ```swift
    /// // score > 1000 AND bonus > 10 AND name LIKE 'A%'
    /// let condition = [Column("score") > 1000, Column("bonus") > 10, Column("name").like("A%")]
    ///     .joined(operator: .and)
    /// ```
    public struct AssociativeBinaryOperator: Hashable, Sendable {
        private enum Kind: UInt8 {
            case add, multiply, and, or, concat, bitwiseAnd, bitwiseOr
        }

        private let kind: Kind

        var symbol: String {
            switch kind {
            case .add: "+"
            case .multiply: "*"
            case .and: "AND"
            case .or: "OR"
            case .concat: "||"
            case .bitwiseAnd: "&"
            case .bitwiseOr: "|"
            }
        }

        /// The symbol between spaces, for ``isArithmetic``.
        var spacedSymbol: String {
            switch kind {
            case .add: " + "
            case .multiply: " * "
            case .bitwiseAnd: " & "
            case .bitwiseOr: " | "
            case .and, .or, .concat: " \(symbol) "
            }
        }

        /// Whether the operands are numbers.
        var isArithmetic: Bool {
            switch kind {
            case .add, .multiply, .bitwiseAnd, .bitwiseOr: true
            case .and, .or, .concat: false
            }
        }

        /// The result without operands.
        var neutralValue: DatabaseValue {
            switch kind {
            case .add, .bitwiseOr: 0.databaseValue
            case .multiply: 1.databaseValue
            case .and: true.databaseValue
            case .or: false.databaseValue
            case .concat: "".databaseValue
            case .bitwiseAnd: (-1).databaseValue
            }
        }

        /// Whether regrouping the operands never changes the result. For sums and products of reals it does,
        /// because of rounding.
        var isFlattened: Bool { kind != .add && kind != .multiply }

        /// The sum. It is 0 without operands.
        public static let add = Self(kind: .add)
        /// The product. It is 1 without operands.
        public static let multiply = Self(kind: .multiply)
        /// Whether all operands are true. It is true without operands.
        public static let and = Self(kind: .and)
        /// Whether an operand is true. It is false without operands.
        public static let or = Self(kind: .or)
        /// The concatenation. It is the empty string without operands.
        public static let concat = Self(kind: .concat)
        /// The bitwise AND. It is -1, all bits, without operands.
        public static let bitwiseAnd = Self(kind: .bitwiseAnd)
        /// The bitwise OR. It is 0 without operands.
        public static let bitwiseOr = Self(kind: .bitwiseOr)
    }
}

extension Database {
    /// A storage class to cast expressions to.
    ///
    /// ```swift
    /// let request = Player.select(cast(Column("score"), as: .real))
    /// ```
    public struct StorageClass: RawRepresentable, Hashable, Sendable {
        /// The name in SQL.
        public let rawValue: String

        /// Creates a storage class.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Integers.
        public static let integer = StorageClass(rawValue: "INTEGER")
        /// Floating-point numbers.
        public static let real = StorageClass(rawValue: "REAL")
        /// Text.
        public static let text = StorageClass(rawValue: "TEXT")
        /// Bytes.
        public static let blob = StorageClass(rawValue: "BLOB")
    }
}
