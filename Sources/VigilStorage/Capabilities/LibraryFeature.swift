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
    /// `VACUUM INTO`, which writes a compact copy of the database to a file.
    case vacuumInto
    /// `NULLS FIRST` and `NULLS LAST` in `ORDER BY`.
    case nullsOrdering
    /// `FILTER (WHERE …)` after an aggregate.
    case filteredAggregates
    /// The function `iif`.
    case iif
    /// `ORDER BY` in the arguments of an aggregate.
    case orderedAggregates
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
        case .vacuumInto: "VACUUM INTO"
        case .nullsOrdering: "NULLS FIRST and NULLS LAST"
        case .filteredAggregates: "FILTER"
        case .iif: "IIF"
        case .orderedAggregates: "ORDER BY in aggregates"
        }
    }
}
