package import VigilEngine
import VigilStorage

/// Collects the text of a statement, and the values that it binds.
package struct SQLWriter {
    package let db: Database
    package private(set) var sql = ""
    package private(set) var arguments = StatementArguments()

    package init(_ db: Database) {
        self.db = db
    }

    package mutating func write(_ text: String) {
        sql += text
    }

    /// Writes SQL text, and adds the values of its parameters.
    ///
    /// - Throws: `SQLITE_MISUSE` if a parameter of the same name already has another value.
    package mutating func write(_ text: String, binding arguments: StatementArguments) throws {
        sql += text
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

    /// Writes the quoted name of a table or column.
    package mutating func write(identifier: String) {
        sql += identifier.quotedDatabaseIdentifier
    }

    package mutating func write(_ expression: SQLExpression) throws {
        switch expression.content {
        case .value(let value) where value.isNull: sql += "NULL"
        case .value(let value): try write("?", binding: [value])
        case .node(let node):
            guard let fragment = node as? any SQLFragment else {
                throw DatabaseError(
                    resultCode: .SQLITE_MISUSE, message: "\(type(of: node)) cannot be written as SQL")
            }
            try fragment.write(to: &self)
        }
    }
}

/// A node that writes its own SQL.
package protocol SQLFragment: SQLExpressionNode {
    func write(to writer: inout SQLWriter) throws
}
