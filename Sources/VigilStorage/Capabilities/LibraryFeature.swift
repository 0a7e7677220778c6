/// A feature of the SQL dialect, missing in old versions of a library.
///
/// A connection lists missing features in ``StorageCapabilities/missingFeatures``.
public enum LibraryFeature: Sendable, Hashable, CaseIterable {
    /// `INSERT … ON CONFLICT (columns) DO UPDATE` and `DO NOTHING`.
    case upsert
    /// `INSERT … ON CONFLICT DO UPDATE` without columns, for any conflict.
    case upsertOnAnyConflict
    /// `RETURNING` in `INSERT`, `UPDATE` and `DELETE`.
    case returning
    /// `ALTER TABLE … RENAME COLUMN`.
    case renameColumn
    /// `ALTER TABLE … DROP COLUMN`.
    case dropColumn
    /// Tables with a check of the types of values.
    case strictTables
    /// Columns with values computed from other columns.
    case generatedColumns
    /// `NULLS FIRST` and `NULLS LAST` in `ORDER BY`.
    case nullsOrdering
    /// `FILTER (WHERE …)` after aggregates.
    case aggregateFilter
    /// `ORDER BY` among the arguments of aggregates.
    case aggregateOrdering
    /// The function `IIF`.
    case iif
    /// Functions for JSON, such as `JSON_EXTRACT`; optional in builds of libraries before SQLite 3.38.
    case json
    /// The operators `->` and `->>` to extract parts of JSON.
    case jsonOperators
    /// The function `JSON_ERROR_POSITION`.
    case jsonErrorPosition
    /// `JSON_VALID` with a second argument.
    case jsonValidationOptions
    /// Functions for the binary form of JSON, such as `JSONB`.
    case jsonb
    /// `VACUUM INTO`: a compact copy of the database in a file.
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
