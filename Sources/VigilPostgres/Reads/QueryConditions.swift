import VigilStorage

/// The conditions of a query on the rows of its tables, found in its analysed tree.
///
/// A condition is a comparison of a column with a constant or a parameter, in the conjunction of WHERE and of
/// the ON clauses of inner joins. Rows that do not meet it do not belong to the join, so they make no
/// difference.
///
/// The server evaluates conditions in any order, so a row that does not meet one may still make another part
/// fail, and an error is a result. There are no conditions unless all parts certainly do not fail.
struct QueryConditions {
    /// The conditions of each table, by its position in the query. Parameters have the server's numbers.
    private(set) var tests: [Int: [RowConditionTemplate]] = [:]
    /// The types of the parameters in conditions.
    private(set) var parameterTypes: [Int: ComparedType] = [:]
    /// The types of the elements of parameters that are arrays.
    private(set) var arrayTypes: [Int: ComparedType] = [:]
    /// Why there are no conditions.
    private(set) var refusal: String?

    private let tree: QueryTree
    private let catalog: ComparisonCatalog
    /// The numbers of the tables by their positions.
    private(set) var tables: [Int: UInt32] = [:]
    /// The positions of the groups, since PostgreSQL 18.
    private var groupEntries: Set<Int> = []
    /// The comparisons that all rows of the join meet.
    private var conjuncts: [Int] = []

    private static let depthLimit = 200

    /// - Parameter tables: the tables that may have conditions.
    init(_ tree: QueryTree, _ catalog: ComparisonCatalog, tables candidates: Set<UInt32>) {
        self.tree = tree
        self.catalog = catalog
        guard let query = tree.query, let entries = tree.children(query, "rtable"),
            let join = tree.child(query, "jointree")
        else { return }
        for (index, entry) in entries.enumerated() {
            // A part of FROM that reads others is computed for each of their rows, before conditions.
            if tree.word(entry, "lateral") == "true" {
                refusal = "FROM has a part with LATERAL"
                return
            }
            let kind = tree.word(entry, "rtekind")
            if kind == "9" { groupEntries.insert(index + 1) }
            guard kind == "0", tree.isEmpty(entry, "tablesample"),
                tree.isEmpty(entry, "securityQuals"), let table: UInt32 = tree.number(entry, "relid"),
                candidates.contains(table)
            else { continue }
            tables[index + 1] = table
        }
        var inner: Set<Int> = []
        guard check(join, isInner: true, &inner), check(having: query) else {
            refusal = "a condition may fail because of a row"
            return
        }
        for conjunct in conjuncts { add(conjunct, inner) }
    }

    // MARK: - Errors

    /// Returns whether the conditions of a join do not fail, and collects those that all rows meet.
    ///
    /// - Parameter inner: the tables whose rows are not replaced by NULLs.
    private mutating func check(_ item: Int, isInner: Bool, _ inner: inout Set<Int>, depth: Int = 0) -> Bool {
        guard depth < Self.depthLimit else { return false }
        switch tree.nodes[item].type {
        case "RANGETBLREF":
            if isInner, let index: Int = tree.number(item, "rtindex") { inner.insert(index) }
            return true
        case "JOINEXPR":
            guard let left = tree.child(item, "larg"), let right = tree.child(item, "rarg"),
                let kind: Int = tree.number(item, "jointype"), (0...3).contains(kind)
            else { return false }
            return check(quals: item, isInner: isInner && kind == 0)
                && check(left, isInner: isInner && kind <= 1, &inner, depth: depth + 1)
                && check(right, isInner: isInner && (kind == 0 || kind == 3), &inner, depth: depth + 1)
        case "FROMEXPR":
            guard let parts = tree.children(item, "fromlist"), check(quals: item, isInner: isInner) else {
                return false
            }
            for part in parts {
                guard check(part, isInner: isInner, &inner, depth: depth + 1) else { return false }
            }
            return true
        default: return false
        }
    }

    private mutating func check(quals item: Int, isInner: Bool) -> Bool {
        if tree.isEmpty(item, "quals") { return true }
        guard let quals = tree.child(item, "quals"), isSafe(quals) else { return false }
        if isInner { conjuncts += split(quals) }
        return true
    }

    /// The server moves parts without aggregates to WHERE.
    private func check(having query: Int) -> Bool {
        if tree.isEmpty(query, "havingQual") { return true }
        guard let condition = tree.child(query, "havingQual") else { return false }
        return split(condition).allSatisfy { tree.contains("AGGREF", in: $0) || isSafe($0) }
    }

    /// Returns whether an expression does not fail, whatever the values are.
    private func isSafe(_ node: Int, depth: Int = 0) -> Bool {
        guard depth < Self.depthLimit else { return false }
        func areSafe(_ field: String) -> Bool {
            tree.children(node, field)?.allSatisfy { isSafe($0, depth: depth + 1) } ?? false
        }
        func isArgumentSafe() -> Bool {
            tree.child(node, "arg").map { isSafe($0, depth: depth + 1) } ?? false
        }
        switch tree.nodes[node].type {
        case "VAR": return tree.word(node, "varlevelsup") == "0" && !isComputed(node)
        case "CONST": return true
        case "PARAM": return tree.word(node, "paramkind") == "0"
        case "RELABELTYPE", "COLLATEEXPR", "COLLATE", "NULLTEST", "BOOLEANTEST": return isArgumentSafe()
        case "FUNCEXPR":
            return tree.number(node, "funcid").map { catalog.wideningCasts[$0] != nil } ?? false
                && areSafe("args")
        case "ARRAYCOERCEEXPR": return convertsElementsToText(node) && isArgumentSafe()
        case "OPEXPR", "DISTINCTEXPR", "SCALARARRAYOPEXPR":
            return comparison(node) != nil && areSafe("args")
        case "BOOLEXPR", "COALESCEEXPR", "COALESCE": return areSafe("args")
        case "ARRAYEXPR", "ARRAY": return areSafe("elements")
        default: return false
        }
    }

    /// Returns whether a variable stands for an expression: a virtual column, or since PostgreSQL 18, an
    /// expression of GROUP BY.
    private func isComputed(_ variable: Int) -> Bool {
        guard let entry: Int = tree.number(variable, "varno"), !groupEntries.contains(entry) else {
            return true
        }
        guard let table = tables[entry], let number: Int = tree.number(variable, "varattno") else {
            return false
        }
        return catalog.columns[table]?[number]?.isVirtual == true
    }

    /// Returns the comparison of an operator; `nil` if it may fail.
    private func comparison(_ node: Int) -> ComparisonCatalog.Comparison? {
        guard let number: UInt32 = tree.number(node, "opno"), let comparison = catalog.comparisons[number],
            !comparison.isText || tree.word(node, "inputcollid") != "0"
        else { return nil }
        return comparison
    }

    /// Returns the parts of a conjunction.
    private func split(_ node: Int) -> [Int] {
        var parts: [Int] = []
        var queue = [node]
        while let node = queue.popLast() {
            if tree.nodes[node].type == "BOOLEXPR", tree.word(node, "boolop") == "and",
                let arguments = tree.children(node, "args")
            {
                queue += arguments.reversed()
            } else {
                parts.append(node)
            }
        }
        return parts
    }

    // MARK: - Comparisons

    private struct Column {
        var table: Int
        var name: String
        var type: UInt32
    }

    private mutating func add(_ node: Int, _ inner: Set<Int>) {
        guard let (column, test, parameters) = test(node), inner.contains(column.table) else { return }
        tests[column.table, default: []].append(
            RowConditionTemplate(.named(column.name), test, affinity: .none))
        if case .oneOf(let operands) = test, case .elements? = operands.first {
            arrayTypes.merge(parameters) { first, _ in first }
        } else {
            parameterTypes.merge(parameters) { first, _ in first }
        }
    }

    /// A comparison, with the types of its parameters.
    private typealias Test = (Column, RowConditionTemplate.Test, [Int: ComparedType])

    private func test(_ node: Int) -> Test? {
        switch tree.nodes[node].type {
        case "OPEXPR": return comparisonTest(node)
        case "SCALARARRAYOPEXPR": return listTest(node)
        case "NULLTEST":
            guard tree.word(node, "argisrow") == "false", let argument = tree.child(node, "arg"),
                let column = column(argument)
            else { return nil }
            return (column, tree.word(node, "nulltesttype") == "0" ? .isNull : .isNotNull, [:])
        case "VAR": return boolean(node, 1)
        case "BOOLEXPR":
            guard tree.word(node, "boolop") == "not", let argument = tree.children(node, "args")?.first else {
                return nil
            }
            return boolean(argument, 0)
        default: return nil
        }
    }

    private func boolean(_ node: Int, _ value: Int64) -> Test? {
        guard let column = column(node), column.type == PostgresType.bool else { return nil }
        return (column, .oneOf([.value(.integer(value))]), [:])
    }

    private func comparisonTest(_ node: Int) -> Test? {
        guard let comparison = comparison(node), let arguments = tree.children(node, "args"),
            arguments.count == 2
        else { return nil }
        let isFlipped = column(arguments[0]) == nil
        guard let column = column(arguments[isFlipped ? 1 : 0]),
            let type = comparedType(comparison, of: column, in: node)
        else { return nil }
        var parameters: [Int: ComparedType] = [:]
        guard let operand = operand(arguments[isFlipped ? 0 : 1], as: type, parameters: &parameters) else {
            return nil
        }
        let kind = isFlipped ? comparison.kind.flipped : comparison.kind
        guard kind == .equal || type.isOrdered else { return nil }
        let bound = { RowConditionTemplate.Bound(operand, isIncluded: $0) }
        let test: RowConditionTemplate.Test? =
            switch kind {
            case .equal: .oneOf([operand])
            case .less: .range(lower: nil, upper: bound(false))
            case .lessOrEqual: .range(lower: nil, upper: bound(true))
            case .greater: .range(lower: bound(false), upper: nil)
            case .greaterOrEqual: .range(lower: bound(true), upper: nil)
            case .unequal: nil
            }
        return test.map { (column, $0, parameters) }
    }

    /// Reads `IN` and `= ANY`.
    private func listTest(_ node: Int) -> Test? {
        guard let comparison = comparison(node), comparison.kind == .equal,
            tree.word(node, "useOr") == "true",
            let arguments = tree.children(node, "args"), arguments.count == 2,
            let column = column(arguments[0]), let type = comparedType(comparison, of: column, in: node)
        else { return nil }
        var parameters: [Int: ComparedType] = [:]
        let list =
            convertsElementsToText(arguments[1]) ? tree.child(arguments[1], "arg") ?? node : arguments[1]
        switch tree.nodes[list].type {
        case "ARRAYEXPR", "ARRAY":
            // Longer lists are not compared.
            guard tree.word(list, "multidims") == "false", let elements = tree.children(list, "elements"),
                elements.count <= 1_024
            else { return nil }
            var operands: [RowConditionTemplate.Operand] = []
            for element in elements {
                guard let operand = operand(element, as: type, parameters: &parameters) else { return nil }
                operands.append(operand)
            }
            return (column, .oneOf(operands), parameters)
        case "PARAM":
            guard tree.word(list, "paramkind") == "0", let number: Int = tree.number(list, "paramid"),
                let array: UInt32 = tree.number(list, "paramtype"), let element = catalog.elementTypes[array],
                catalog.type(element) == type
            else { return nil }
            return (column, .oneOf([.elements(number)]), [number: type])
        default: return nil
        }
    }

    /// Returns how a column is compared; `nil` if it is not known.
    private func comparedType(
        _ comparison: ComparisonCatalog.Comparison, of column: Column, in node: Int
    ) -> ComparedType? {
        guard let type = comparison.type, catalog.type(column.type) == type else { return nil }
        guard comparison.isText else { return type }
        guard let collation: UInt32 = tree.number(node, "inputcollid"), collation != 0,
            !catalog.equatingCollations.contains(collation)
        else { return nil }
        return type
    }

    /// Returns the argument of a conversion that keeps the value: between `varchar` and `text`, and to a
    /// larger integer.
    private func unconverted(_ node: Int) -> Int {
        if convertsToText(node) { return tree.child(node, "arg") ?? node }
        guard tree.nodes[node].type == "FUNCEXPR", let function: UInt32 = tree.number(node, "funcid"),
            catalog.wideningCasts[function] == true, let arguments = tree.children(node, "args"),
            arguments.count == 1
        else { return node }
        return arguments[0]
    }

    /// Returns the column of a table with conditions.
    private func column(_ node: Int) -> Column? {
        let variable = unconverted(node)
        guard tree.nodes[variable].type == "VAR", tree.word(variable, "varlevelsup") == "0",
            let table: Int = tree.number(variable, "varno"), let relation = tables[table],
            let number: Int = tree.number(variable, "varattno"), number > 0,
            let type: UInt32 = tree.number(variable, "vartype"),
            let column = catalog.columns[relation]?[number], !column.isGenerated,
            !convertsToText(node) || type == PostgresType.varchar
        else { return nil }
        return Column(table: table, name: column.name, type: type)
    }

    /// Returns whether an expression is a conversion between `text` and `varchar`. It keeps the value.
    private func convertsToText(_ node: Int) -> Bool {
        guard tree.nodes[node].type == "RELABELTYPE", tree.word(node, "resulttypmod") == "-1",
            let type: UInt32 = tree.number(node, "resulttype")
        else { return false }
        return type == PostgresType.text || type == PostgresType.varchar
    }

    /// Returns whether an expression is such a conversion of all elements of an array.
    private func convertsElementsToText(_ node: Int) -> Bool {
        guard tree.nodes[node].type == "ARRAYCOERCEEXPR", let element = tree.child(node, "elemexpr"),
            convertsToText(element), let value = tree.child(element, "arg")
        else { return false }
        return tree.nodes[value].type == "CASETESTEXPR"
    }

    private func operand(
        _ node: Int, as type: ComparedType, parameters: inout [Int: ComparedType]
    ) -> RowConditionTemplate.Operand? {
        let value = unconverted(node)
        switch tree.nodes[value].type {
        case "PARAM":
            guard tree.word(value, "paramkind") == "0", let number: Int = tree.number(value, "paramid"),
                let paramType: UInt32 = tree.number(value, "paramtype"), catalog.type(paramType) == type
            else { return nil }
            parameters[number] = type
            return .parameter(number)
        case "CONST":
            guard let constType: UInt32 = tree.number(value, "consttype"), catalog.type(constType) == type
            else {
                return nil
            }
            // With `transform_null_equals`, a session reads `= NULL` as `IS NULL`.
            guard tree.word(value, "constisnull") == "false" else { return nil }
            return constant(value, of: constType, as: type).map { .value($0) }
        default: return nil
        }
    }

    private func constant(_ node: Int, of number: UInt32, as type: ComparedType) -> StorageValue? {
        guard catalog.knowsConstants, let bytes = tree.bytes(node, "constvalue") else { return nil }
        if type == .label {
            guard case .integer(let label)? = ComparedType.oid.constant(bytes) else { return nil }
            return UInt32(exactly: label).flatMap { catalog.labels[number]?[$0] }.map { .text($0) }
        }
        guard type != .text || catalog.isUTF8 || bytes.dropFirst(4).allSatisfy({ $0 < 0x80 }) else {
            return nil
        }
        return type.constant(bytes)
    }
}

extension QueryTree {
    /// Returns whether an expression contains a node of a type.
    fileprivate func contains(_ type: String, in node: Int) -> Bool {
        var queue = [node]
        while let node = queue.popLast() {
            if nodes[node].type == type { return true }
            var items = nodes[node].fields.values.flatMap { $0 }
            while let item = items.popLast() {
                switch item {
                case .node(let child): queue.append(child)
                case .list(let list): items += list
                case .word: break
                }
            }
        }
        return false
    }
}
