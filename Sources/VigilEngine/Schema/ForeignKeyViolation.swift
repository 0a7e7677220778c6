import VigilStorage

/// A row that refers to a row that is not there.
public struct ForeignKeyViolation: Sendable {
    /// The table of the row.
    public var originTable: String

    /// The row id; `nil` in a table `WITHOUT ROWID`.
    public var originRowID: Int64?

    /// The table that the row refers to.
    public var destinationTable: String

    /// The foreign key: ``ForeignKeyInfo/id``.
    public var foreignKeyId: Int

    /// What is wrong, with the columns and the values of the row, which may be private.
    public func failureDescription(_ db: Database) throws -> String {
        let key = try db.foreignKeys(on: originTable).first { $0.id == foreignKeyId }
        let row = try originRowID.flatMap { rowID in
            try Row.fetchOne(
                db, sql: "SELECT * FROM \(originTable.quotedName) WHERE rowid = ?", arguments: [rowID])
        }
        let origin = Self.list(key?.originColumns)
        let destination = Self.list(key?.destinationColumns)
        let place = row.map { ", in \($0)" } ?? originRowID.map { ", in rowid \($0)" } ?? ""
        return "FOREIGN KEY constraint violation - from \(originTable)\(origin)"
            + " to \(destinationTable)\(destination)\(place)"
    }

    /// The error that says so, with the code `SQLITE_CONSTRAINT_FOREIGNKEY`.
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
    /// What is wrong, without values.
    public var description: String {
        "FOREIGN KEY constraint violation - from \(originTable) to \(destinationTable)"
            + (originRowID.map { ", in rowid \($0)" } ?? "")
    }
}

/// A cursor over rows that refer to rows that are not there.
public final class ForeignKeyViolationCursor: DatabaseCursor {
    private let run: RunningStatement

    init(_ statement: Statement) throws {
        run = try RunningStatement(statement, arguments: nil)
    }

    public var _statement: Statement { run.statement }

    public func next() throws -> ForeignKeyViolation? {
        guard let row = try run.step() else { return nil }
        // Old libraries tell a number also for tables without row id, where it means nothing.
        let hasRowID =
            try row[1].kind != .null && run.statement.database.primaryKey(row[0].text).tableHasRowID
        return ForeignKeyViolation(
            originTable: row[0].text, originRowID: hasRowID ? row[1].integer : nil,
            destinationTable: row[2].text, foreignKeyId: Int(row[3].integer))
    }
}
