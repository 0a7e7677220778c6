package import VigilEngine
package import VigilRegions
import VigilStorage

/// Collects the text of a statement, and its bound values.
package struct SQLWriter: ~Copyable {
    package let db: Database
    /// Whether values are written as literals, for statements that cannot have parameters.
    let writesLiterals: Bool
    private var text = SQLText()
    /// The positions of literals in place of values, in UTF-8 bytes.
    private var literals: [Int] = []
    package private(set) var arguments = StatementArguments()
    /// The table of columns without an alias; `nil` outside of requests.
    package private(set) var table: TableReference?
    /// The innermost enclosing request with groups of joined rows; may be the request being written.
    var joinedQuery: ResolvedQuery?
    /// The tables of the request being written, and of the enclosing ones.
    private var tables: [TableAliasBase: TableReference] = [:]

    /// Whether tables of an outer request can be referred to.
    var isSubquery: Bool { !tables.isEmpty }

    package init(_ db: Database, writesLiterals: Bool = false) {
        self.db = db
        self.writesLiterals = writesLiterals
    }

    package var sql: String { text.string }

    package mutating func write(_ text: String) {
        self.text.append(text)
    }

    mutating func write(spaced symbol: String) {
        text.append(spaced: symbol)
    }

    /// Writes SQL text, and adds the values of its parameters.
    ///
    /// - Throws: `SQLITE_MISUSE` if a parameter of the same name already has another value.
    package mutating func write(_ text: String, binding arguments: StatementArguments) throws {
        if writesLiterals { return try write(text, withLiterals: arguments) }
        self.text.append(text)
        guard !arguments.isEmpty else { return }
        for (name, value) in self.arguments.append(contentsOf: arguments) {
            guard let new = arguments.namedValues[ExactString(name)], new.isIdentical(to: value) else {
                throw DatabaseError(
                    resultCode: .SQLITE_MISUSE,
                    message:
                        "the statement argument \(name) has two different values: use one name for each value",
                    sql: sql)
            }
        }
    }

    package mutating func write(identifier: String) {
        text.append(identifier: identifier)
    }

    /// Writes the number of rows after LIMIT. A negative one means all.
    mutating func write(rowCount: Int) {
        write(rowCount < 0 ? db.dialect.unlimitedRowCount : String(rowCount))
    }

    /// Writes the quoted name of a column of the ``table``.
    mutating func write(column: String) {
        if let table, table.isQualified, !table.resultNames.contains(ColumnName(column)) {
            return write(column: column, of: table)
        }
        text.append(identifier: column)
    }

    /// Writes a parameter, and binds a value to it, or writes a literal; `NULL` for NULL.
    private mutating func write(_ value: DatabaseValue) {
        guard !value.isNull else { return text.append("NULL") }
        if writesLiterals { return write(literal: value) }
        text.append("?")
        arguments.append(value)
    }

    private mutating func write(literal value: DatabaseValue) {
        let literal = value.sqlLiteral(db.dialect)
        text.append(literal: literal)
        literals.append(text.utf8Count - literal.utf8.count)
    }

    /// Checks that no value is written inside of quotes or a comment, where it could become SQL.
    ///
    /// - Throws: `SQLITE_MISUSE` if one is.
    func checkLiterals() throws {
        var literals = literals[...]
        var scanner = SQLScanner(literals.isEmpty ? "" : sql)
        scanner.hasBracketedNames = db.dialect === SQLDialect.sqlite
        while let literal = literals.first, let token = scanner.nextRange()?.range,
            literal >= token.upperBound || literal == token.lowerBound
        {
            if literal == token.lowerBound { literals.removeFirst() }
        }
        guard literals.isEmpty else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "a value of a definition is inside of quotes or a comment: write it outside of them")
        }
    }

    /// Writes SQL text with literals in place of its parameters. Parameters without a value remain, and the
    /// database rejects them.
    ///
    /// - Throws: `SQLITE_MISUSE` if there are more values than parameters, if a parameter is numbered, or if
    ///   the text has another dialect than SQLite's.
    private mutating func write(_ text: String, withLiterals arguments: StatementArguments) throws {
        var values = arguments.values[...]
        var position = 0
        if !arguments.isEmpty {
            guard db.dialect === SQLDialect.sqlite else {
                throw DatabaseError.isUnsupported(
                    "arguments of SQL text in definitions: interpolate the values")
            }
            var scanner = SQLScanner(text)
            while let parameter = scanner.next() {
                guard parameter.kind == .parameter else { continue }
                let name = String(parameter.text.dropFirst())
                // The numbers would be wrong: SQL pieces are joined without renumbering parameters.
                guard parameter.text == "?" || !parameter.text.hasPrefix("?") else {
                    throw DatabaseError(
                        resultCode: .SQLITE_MISUSE,
                        message:
                            "numbered parameters cannot be replaced by literals: use ? or named parameters",
                        sql: text)
                }
                guard let value = arguments.namedValues[ExactString(name)] ?? values.popFirst() else {
                    continue
                }
                self.text.append(afterLiteral: scanner.text(position..<parameter.range.lowerBound))
                write(literal: value)
                position = parameter.range.upperBound
            }
            guard values.isEmpty else {
                throw DatabaseError.wrongArgumentCount(values.endIndex, needed: values.startIndex, sql: text)
            }
        }
        self.text.append(afterLiteral: String(decoding: text.utf8.dropFirst(position), as: UTF8.self))
    }

    package mutating func write(_ expression: SQLExpression) throws {
        if let reference = expression.nodeReference {
            try reference.node.write(to: &self)
        } else if let value = expression.value {
            write(value)
        }
    }
}

/// A table of a request, as its columns are written.
package struct TableReference: Sendable {
    /// The name of the table in the database.
    package var tableName: String
    /// The name in the statement.
    package var name: String
    /// Whether the columns are qualified by the name.
    package var isQualified: Bool
    /// The names of the request's result columns other than columns of the table. They are not qualified.
    package var resultNames: Set<ColumnName> = []

    /// The qualifier of the columns; `nil` if they are not qualified.
    var qualifier: String? { isQualified ? name : nil }
}

extension SQLWriter {
    /// Returns the table of an alias.
    ///
    /// - Throws: `SQLITE_MISUSE` if the alias is not attached to a table of the statement.
    func table(_ alias: TableAliasBase) throws -> TableReference {
        if let table = tables[alias] { return table }
        if let name = alias.name { return TableReference(tableName: name, name: name, isQualified: true) }
        throw DatabaseError(
            resultCode: .SQLITE_MISUSE,
            message: "a table alias is not part of the request: attach it to a table with aliased(_:)")
    }

    /// Writes with another table for columns without an alias.
    package mutating func with<T>(table: TableReference?, _ body: (inout SQLWriter) throws -> T) rethrows -> T
    {
        let outer = self.table
        self.table = table
        defer { self.table = outer }
        return try body(&self)
    }

    /// Writes a request with its aliases and their tables.
    ///
    /// Its expressions can also refer to the aliases of enclosing requests.
    package mutating func with<T>(
        aliases: [(TableAliasBase, TableReference)], _ body: (inout SQLWriter) throws -> T
    ) rethrows -> T {
        if aliases.isEmpty && tables.isEmpty { return try with(table: nil, body) }
        let outer = (table, tables)
        table = nil
        // The columns of outer tables are qualified, because an inner table can have columns with the same
        // names.
        tables = tables.mapValues {
            TableReference(tableName: $0.tableName, name: $0.name, isQualified: true)
        }
        for (alias, reference) in aliases { tables[alias] = reference }
        defer { (table, tables) = outer }
        return try body(&self)
    }
}

/// A part of a statement with its own SQL.
package protocol SQLFragment: Sendable {
    func write(to writer: inout SQLWriter) throws
}
