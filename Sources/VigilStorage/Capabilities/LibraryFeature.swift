/// A feature of the SQL dialect that old versions of a library lack.
///
/// A connection lists those that it lacks in ``StorageCapabilities/missingFeatures``.
public enum LibraryFeature: Sendable, Hashable, CaseIterable {
    /// `INSERT … ON CONFLICT (columns) DO UPDATE` and `DO NOTHING`.
    case upsert
    /// `INSERT … ON CONFLICT DO UPDATE`, which applies to any conflict because it names no columns.
    case upsertOnAnyConflict
    /// `RETURNING` in `INSERT`, `UPDATE` and `DELETE`.
    case returning
    /// `ALTER TABLE … RENAME COLUMN`.
    case renameColumn
    /// `ALTER TABLE … DROP COLUMN`.
    case dropColumn
    /// Tables that reject values of another type than that of their column.
    case strictTables
    /// Columns whose values are computed from other columns.
    case generatedColumns
    /// `NULLS FIRST` and `NULLS LAST` in `ORDER BY`.
    case nullsOrdering
    /// `FILTER (WHERE …)` after aggregates.
    case aggregateFilter
    /// `ORDER BY` among the arguments of aggregates.
    case aggregateOrdering
    /// The function `IIF`.
    case iif
    /// Functions for JSON, such as `JSON_EXTRACT`. Libraries before SQLite 3.38 have them if they were built so.
    case json
    /// The operators `->` and `->>`, which extract parts of JSON.
    case jsonOperators
    /// The function `JSON_ERROR_POSITION`.
    case jsonErrorPosition
    /// `JSON_VALID` with a second argument.
    case jsonValidationOptions
    /// Functions for the binary form of JSON, such as `JSONB`.
    case jsonb
    /// `VACUUM INTO`, which writes a compact copy of the database to a file.
    case vacuumInto
}

extension LibraryFeature: CustomStringConvertible {
    /// The name of the feature in messages.
    public var description: String {
        switch self {
        case .upsert: "ON CONFLICT DO UPDATE"
        case .upsertOnAnyConflict: "ON CONFLICT DO UPDATE without columns"
        case .returning: "RETURNING"
        case .renameColumn: "RENAME COLUMN"
        case .dropColumn: "DROP COLUMN"
        case .strictTables: "STRICT"
        case .generatedColumns: "GENERATED ALWAYS AS"
        case .nullsOrdering: "NULLS FIRST or NULLS LAST"
        case .aggregateFilter: "an aggregate with FILTER"
        case .aggregateOrdering: "an aggregate with ORDER BY"
        case .iif: "IIF"
        case .json: "a JSON function"
        case .jsonOperators: "the operator -> or ->>"
        case .jsonErrorPosition: "JSON_ERROR_POSITION"
        case .jsonValidationOptions: "JSON_VALID with options"
        case .jsonb: "a JSONB function"
        case .vacuumInto: "VACUUM INTO"
        }
    }
}
