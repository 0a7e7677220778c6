import VigilStorage

/// A row with a foreign key that refers to no row.
public struct ForeignKeyViolation: Sendable {
    /// The table of the row.
    public var originTable: String

    /// The row id; `nil` in a `WITHOUT ROWID` table.
    public var originRowID: Int64?

    /// The referenced table.
    public var destinationTable: String

    /// The foreign key, identified by its ``ForeignKeyInfo/id``.
    public var foreignKeyId: Int

    /// The name of the database of both tables.
    let schema: String

    /// Returns a description of the violation, with the columns of the foreign key and the values of the row,
    /// which may be private.
    ///
    /// - Throws: `DatabaseError` if the schema or the row cannot be read.
    public func failureDescription(_ db: Database) throws -> String {
        let key = try db.foreignKeys(on: originTable, in: schema).first { $0.id == foreignKeyId }
        let row = try originRowID.flatMap { rowID -> Row? in
            guard let column = try db.primaryKey(originTable, in: schema).rowIDName else { return nil }
            let table = "\(schema.quotedSQLName).\(originTable.quotedSQLName)"
            return try Row.fetchOne(
                db, sql: "SELECT * FROM \(table) WHERE \(column.quotedSQLName) = ?", arguments: [rowID])
        }
        let origin = Self.list(key?.originColumns)
        let destination = Self.list(key?.destinationColumns)
        let place = row.map { ", in \($0)" } ?? originRowID.map { ", in rowid \($0)" } ?? ""
        return "FOREIGN KEY constraint violation - from \(originTable)\(origin)"
            + " to \(destinationTable)\(destination)\(place)"
    }

    /// Returns an error with `SQLITE_CONSTRAINT_FOREIGNKEY` and the message of ``failureDescription(_:)``.
    public func databaseError(_ db: Database) -> DatabaseError {
        DatabaseError(
            resultCode: .SQLITE_CONSTRAINT_FOREIGNKEY,
            message: (try? failureDescription(db)) ?? description)
    }

    private static func list(_ columns: [String]?) -> String {
        columns.map { "(\($0.joined(separator: ", ")))" } ?? ""
    }
}

extension ForeignKeyViolation: CustomStringConvertible {
    /// A description of the violation, without values.
    public var description: String {
        "FOREIGN KEY constraint violation - from \(originTable) to \(destinationTable)"
            + (originRowID.map { ", in rowid \($0)" } ?? "")
    }
}

/// A cursor over violations of foreign keys, returned by ``Database/foreignKeyViolations()``.
public final class ForeignKeyViolationCursor: DatabaseCursor {
    private let run: RunningStatement
    private let schema: String

    init(_ statement: Statement, schema: String) throws {
        self.schema = schema
        run = try RunningStatement(statement, arguments: nil)
    }

    /// The statement of the cursor. Do not run it yourself.
    public var _statement: Statement { run.statement }

    /// Returns the next violation; `nil` after the last one. Throws `DatabaseError` if reading fails.
    public func next() throws -> ForeignKeyViolation? {
        guard let row = try run.step() else { return nil }
        // Old libraries return a meaningless number for tables without row ids.
        let hasRowID =
            try row[1].kind != .null
            && run.statement.database.primaryKey(row[0].text, in: schema).tableHasRowID
        return ForeignKeyViolation(
            originTable: row[0].text, originRowID: hasRowID ? row[1].integer : nil,
            destinationTable: row[2].text, foreignKeyId: Int(row[3].integer),
            schema: schema)
    }
}
