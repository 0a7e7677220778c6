public import VigilEngine
import VigilStorage

/// The changes to an existing table.
///
/// ```swift
/// try db.alter(table: "player") { t in
///     t.add(column: "url", .text)
///     t.rename(column: "name", to: "nickname")
///     t.drop(column: "score")
/// }
/// ```
public final class TableAlteration {
    enum Change {
        case add(ColumnDefinition)
        case addLiteral(SQL)
        case rename(String, to: String)
        case drop(String)
    }

    private(set) var changes: [Change] = []

    init() {}

    /// Adds a column after the existing ones.
    ///
    /// The column can be neither a primary key nor unique. A `NOT NULL` column needs a default value.
    @discardableResult
    public func add(column name: String, _ type: Database.ColumnType? = nil) -> ColumnDefinition {
        let column = ColumnDefinition(name: name, type: type)
        changes.append(.add(column))
        return column
    }

    /// Adds a column defined in SQL.
    ///
    /// ```swift
    /// t.addColumn(sql: "url TEXT")
    /// ```
    public func addColumn(sql: String) {
        changes.append(.addLiteral(SQL(sql: sql)))
    }

    /// Adds a column defined in SQL. Interpolated values become literals.
    public func addColumn(literal: SQL) {
        changes.append(.addLiteral(literal))
    }

    /// Renames a column, and the references to it in indexes, triggers and views. Requires SQLite 3.25.
    public func rename(column name: String, to newName: String) {
        changes.append(.rename(name, to: newName))
    }

    /// Drops a column. Requires SQLite 3.35.
    public func drop(column name: String) {
        changes.append(.drop(name))
    }
}

// An alteration is used by one closure on one thread.
@available(*, unavailable)
extension TableAlteration: Sendable {}

extension TableAlteration.Change {
    func statements(_ db: Database, table: String) throws -> [SQL] {
        let alter: SQL = "ALTER TABLE \(identifier: table)"
        switch self {
        case .add(let column):
            try column.requireFeatures(db)
            let add: SQL =
                "\(alter) ADD COLUMN \(try column.sql(db.dialect) { try db.primaryKey($0).columns })"
            return [add] + [column.indexStatement(on: table)].compactMap { $0 }
        case .addLiteral(let sql): return ["\(alter) ADD COLUMN \(sql)"]
        case .rename(let name, let newName):
            try db.require(.renameColumn)
            return ["\(alter) RENAME COLUMN \(identifier: name) TO \(identifier: newName)"]
        case .drop(let name):
            try db.require(.dropColumn)
            return ["\(alter) DROP COLUMN \(identifier: name)"]
        }
    }
}
