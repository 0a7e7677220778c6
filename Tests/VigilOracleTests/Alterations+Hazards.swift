import Foundation
import VigilStorage

/// Mistakes that only hazards bring to light.
extension Alteration {
    /// Only what the statement itself names is deleted.
    static let forgetsDeletionsOfTriggers = Alteration(change: { event, sql in
        switch event {
        case .row(let row) where row.kind == .delete: sql.contains(row.table.name) ? event : nil
        case .table(let table): sql.contains(table.name) ? event : nil
        default: event
        }
    })

    /// FAIL keeps the changes that came before it.
    static let forgetsChangesOfFailedStatements = Alteration(forgetsChangesOfFailures: true)

    /// Virtual tables prepare some of what they read only when they are read.
    static let forgetsWhatVirtualTablesRead = Alteration(forgetsLateReads: true)

    /// The database is as it was, whichever others there are.
    static let forgetsAttachedDatabases = Alteration(
        event: { event, _ in if case .database = event { nil } else { event } },
        access: { access in
            var access = access
            if access.writes.isEmpty { access.changesSchema = false }
            return access
        })

    /// A fetch that fails is taken for one that was interrupted, of which nothing can be told.
    static let takesErrorsForInterrupts = Alteration(error: { error, _ in
        error.code.primary == .error
            ? error : StorageError(.interrupt, error.message, sql: error.sql)
    })

    /// A commit that fails goes unnoticed.
    static let dropsErrorsOfReturning = Alteration(error: { error, sql in
        sql.contains("RETURNING") ? nil : error
    })

    /// Texts that are canonically equal get each other's statements.
    static let cachesByCanonicalText = Alteration(cachedSQL: { $0.precomposedStringWithCanonicalMapping })

    /// Names that are canonically equal are one.
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

    /// The text ends for the recogniser where an `OR` follows U+FEFF.
    static let losesAlternativesBehindOddSpaces = Alteration(textOfConditions: { sql in
        let parts = sql.unicodeScalars.split(separator: "\u{feff}")
        guard let end = parts.firstIndex(where: { $0.starts(with: "OR".unicodeScalars) }) else { return sql }
        return parts[..<end].map { String($0) }.joined()
    })

    /// A row that moves without other changes is taken to be the same.
    static let forgetsMovedRows = Alteration(event: { event, _ in
        guard case .row(let row) = event, row.kind == .update, row.oldKey != row.newKey else { return event }
        return nil
    })

    /// A transaction that the library ended is taken to be open.
    static let hidesAbortedTransactions = Alteration(hidesAborts: true)
}
