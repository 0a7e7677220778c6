import Foundation
import VigilStorage

// Mistakes that only hazards reveal
extension Alteration {
    /// Ignores deletions from tables other than the one that the statement names.
    static let forgetsDeletionsOfTriggers = Alteration(change: { event, sql in
        switch event {
        case .row(let row) where row.kind == .delete: sql.contains(row.table.name) ? event : nil
        case .table(let table): sql.contains(table.name) ? event : nil
        default: event
        }
    })

    /// Drops the changes of failed statements, although ON CONFLICT FAIL keeps the changes before the conflict.
    static let forgetsChangesOfFailedStatements = Alteration(forgetsChangesOfFailures: true)

    /// Ignores the reads of statements that virtual tables prepare while they run.
    static let forgetsWhatVirtualTablesRead = Alteration(forgetsLateReads: true)

    /// Ignores that databases are attached and detached.
    static let forgetsAttachedDatabases = Alteration(
        event: { event, _ in if case .database = event { nil } else { event } },
        access: { access in
            var access = access
            if access.writes.isEmpty { access.changesSchema = false }
            return access
        })

    /// Keeps the reads and conditions of a text after a change of the schema.
    static let keepsReportsOfTexts = Alteration(keepsFirstReports: true)

    /// Drops the errors of `RETURNING` statements, such as that of a failed commit.
    static let dropsErrorsOfReturning = Alteration(error: { error, sql in
        sql.contains("RETURNING") ? nil : error
    })

    /// Shares cached queries between canonically equal texts. Writes are not altered, because their statements are kept
    /// too: all of them would go to one of the tables.
    static let cachesByCanonicalText = Alteration(cachedSQL: { sql in
        sql.hasPrefix("SELECT") ? sql.precomposedStringWithCanonicalMapping : sql
    })

    /// Treats tables with canonically equal names as one.
    static let normalizesNames = Alteration(change: { event, _ in
        func normalized(_ table: TableName) -> TableName {
            TableName(schema: table.schema, name: table.name.precomposedStringWithCanonicalMapping)
        }
        return switch event {
        case .row(let row):
            .row(
                RowChange(
                    table: normalized(row.table), kind: row.kind, oldKey: row.oldKey, newKey: row.newKey,
                    images: row.images))
        case .table(let table): .table(normalized(table))
        case .database: .database
        }
    })

    /// Truncates the text for the recognizer of conditions where `OR` follows U+FEFF.
    static let losesAlternativesBehindOddSpaces = Alteration(textOfConditions: { sql in
        let parts = sql.unicodeScalars.split(separator: "\u{feff}")
        guard let end = parts.firstIndex(where: { $0.starts(with: "OR".unicodeScalars) }) else { return sql }
        return parts[..<end].map { String($0) }.joined()
    })

    /// Recognizes the conditions of a query without the part before them, which may fail.
    static let keepsConditionsOfFailingRows = Alteration(textOfConditions: { sql in
        guard let start = sql.range(of: " WHERE "), let end = sql.range(of: " > 0 AND tag = ") else {
            return sql
        }
        return sql[..<start.upperBound] + "tag = " + sql[end.upperBound...]
    })

    /// Ignores updates that only change the row id.
    static let forgetsMovedRows = Alteration(event: { event, _ in
        guard case .row(let row) = event, row.kind == .update, row.oldKey != row.newKey else { return event }
        return nil
    })

    /// Treats a transaction that the library ended as open.
    static let hidesAbortedTransactions = Alteration(hidesAborts: true)
}
