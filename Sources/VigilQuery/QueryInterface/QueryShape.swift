import VigilEngine
import VigilStorage

/// The structure of a plain query. It determines the SQL except for the bound values.
///
/// It is a flat list, so comparing two queries traverses only one of them (bench: request-build). Queries
/// have no shape if their SQL depends on more than their own parts, for example on closures or subqueries.
struct QueryShape {
    private let marks: [ShapeMark]

    /// Returns the shape of a query, and its values in the order of their parameters.
    static func shape(of query: Query) -> (shape: QueryShape, values: [DatabaseValue])? {
        var recorder = ShapeRecorder()
        guard query.accept(&recorder) else { return nil }
        return (QueryShape(marks: recorder.marks), recorder.values)
    }

    /// Returns the values of a query in the order of their parameters; `nil` if it has another shape.
    ///
    /// - Parameter count: The number of values of queries of this shape.
    func values(of query: Query, count: Int) -> [DatabaseValue]? {
        var comparison = ShapeComparison(marks: marks, valueCount: count)
        return query.accept(&comparison) && comparison.isComplete ? comparison.values : nil
    }
}

/// One part of a shape.
private struct ShapeMark {
    enum Kind: UInt8 {
        case table, selection, allColumns, filter, ordering, term, reversed, distinct
        case null, value, column, detachedColumn, operation, equality, chain, not, between, like, membership
    }

    let kind: Kind
    /// The number of parts, or the index of an operator in its kind.
    let number: Int
    /// A name or an operator.
    let text: String
}

/// Visits the parts of a query in their order.
private protocol ShapeVisitor {
    /// Visits a part, and returns whether to continue.
    mutating func visit(_ kind: ShapeMark.Kind, number: Int, text: String) -> Bool
    /// Visits a value other than NULL.
    mutating func visitValue(_ value: DatabaseValue) -> Bool
}

extension ShapeVisitor {
    mutating func visit(_ kind: ShapeMark.Kind, number: Int = 0) -> Bool {
        visit(kind, number: number, text: "")
    }

    mutating func visit(_ kind: ShapeMark.Kind, text: String) -> Bool { visit(kind, number: 0, text: text) }
}

private struct ShapeRecorder: ShapeVisitor {
    var marks: [ShapeMark] = []
    var values: [DatabaseValue] = []

    mutating func visit(_ kind: ShapeMark.Kind, number: Int, text: String) -> Bool {
        marks.append(ShapeMark(kind: kind, number: number, text: text))
        return true
    }

    mutating func visitValue(_ value: DatabaseValue) -> Bool {
        values.append(value)
        return visit(.value, number: value.storageClass)
    }
}

private struct ShapeComparison: ShapeVisitor {
    private let marks: [ShapeMark]
    private var position = 0
    private(set) var values: [DatabaseValue] = []

    init(marks: [ShapeMark], valueCount: Int) {
        self.marks = marks
        values.reserveCapacity(valueCount)
    }

    var isComplete: Bool { position == marks.count }

    mutating func visit(_ kind: ShapeMark.Kind, number: Int, text: String) -> Bool {
        guard position < marks.count, marks[position].kind == kind, marks[position].number == number,
            marks[position].text.isIdentical(to: text)
        else { return false }
        position += 1
        return true
    }

    mutating func visitValue(_ value: DatabaseValue) -> Bool {
        values.append(value)
        return visit(.value, number: value.storageClass)
    }
}

extension DatabaseValue {
    /// The number of the storage class. It affects the type of a parameter.
    fileprivate var storageClass: Int {
        switch storage {
        case .null: 0
        case .int64: 1
        case .double: 2
        case .string: 3
        case .blob: 4
        }
    }
}

extension Query {
    fileprivate func accept(_ visitor: inout some ShapeVisitor) -> Bool {
        guard visitor.visit(.table, text: table), !isDistinct || visitor.visit(.distinct) else {
            return false
        }
        for part in selection {
            guard let selections = part.independentValue, visitor.visit(.selection, number: selections.count),
                selections.allSatisfy({ $0.accept(&visitor) })
            else { return false }
        }
        for filter in filters {
            guard case .value(let condition) = filter, visitor.visit(.filter), condition.accept(&visitor)
            else {
                return false
            }
        }
        for part in ordering {
            guard case .value(let terms) = part, visitor.visit(.ordering, number: terms.count),
                terms.allSatisfy({ $0.accept(&visitor) })
            else { return false }
        }
        return !isReversed || visitor.visit(.reversed)
    }
}

extension SQLSelection {
    fileprivate func accept(_ visitor: inout some ShapeVisitor) -> Bool {
        switch content {
        case .allColumns: visitor.visit(.allColumns)
        case .expression(let expression): expression.accept(&visitor)
        default: false
        }
    }
}

extension SQLOrdering {
    fileprivate func accept(_ visitor: inout some ShapeVisitor) -> Bool {
        switch content {
        case .expression(let expression, let direction):
            visitor.visit(.term, number: direction.shapeNumber) && expression.accept(&visitor)
        case .literal: false
        }
    }
}

extension SQLOrdering.Direction {
    fileprivate var shapeNumber: Int {
        switch self {
        case .unspecified: 0
        case .ascending: 1
        case .descending: 2
        case .ascendingNullsLast: 3
        case .descendingNullsFirst: 4
        }
    }
}

extension SQLExpression {
    fileprivate func accept(_ visitor: inout some ShapeVisitor) -> Bool {
        if let nodeReference { return nodeReference.accept(&visitor) }
        guard let value else { return false }
        return value.isNull ? visitor.visit(.null) : visitor.visitValue(value)
    }
}

extension NodeReference {
    fileprivate func accept(_ visitor: inout some ShapeVisitor) -> Bool {
        switch node {
        case .column(let name): visitor.visit(.column, text: name)
        case .detachedColumn(let name): visitor.visit(.detachedColumn, text: name)
        case .operation(let symbol, let a, let b):
            visitor.visit(.operation, text: symbol) && a.accept(&visitor) && b.accept(&visitor)
        case .equality(let test, let a, let b):
            visitor.visit(.equality, text: test.rawValue) && a.accept(&visitor) && b.accept(&visitor)
        case .chain(let chainOperator, let operands):
            visitor.visit(.chain, number: operands.count, text: chainOperator.symbol)
                && operands.allSatisfy { $0.accept(&visitor) }
        case .not(let operand): visitor.visit(.not) && operand.accept(&visitor)
        case .between(let operand, let lower, let upper, let isNegated):
            visitor.visit(.between, number: isNegated ? 1 : 0) && operand.accept(&visitor)
                && lower.accept(&visitor)
                && upper.accept(&visitor)
        case .like(let operand, let pattern, escape: nil, let isNegated):
            visitor.visit(.like, number: isNegated ? 1 : 0) && operand.accept(&visitor)
                && pattern.accept(&visitor)
        case .membership(let element, .expressions(let elements), let isNegated):
            visitor.visit(.membership, number: isNegated ? ~elements.count : elements.count)
                && element.accept(&visitor) && elements.allSatisfy { $0.accept(&visitor) }
        default: false
        }
    }
}
