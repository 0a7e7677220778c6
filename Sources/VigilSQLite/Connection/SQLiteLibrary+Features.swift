import CVigilSQLite
import VigilStorage

extension SQLiteLibrary {
    /// The missing features of the library, each with the version that introduced it.
    var missingFeatures: [LibraryFeature: String] {
        let version = versionNumber
        var missing: [LibraryFeature: String] = [:]
        for feature in LibraryFeature.allCases {
            let needed = feature.minimumVersionNumber
            guard version < needed, !(feature == .json && isBuiltWithJSON) else { continue }
            missing[feature] = "SQLite \(needed / 1_000_000).\(needed / 1000 % 1000).\(needed % 1000)"
        }
        return missing
    }

    /// The name and version of the library, for messages.
    var description: String { "\(hasKeyFunctions ? "SQLCipher, SQLite" : "SQLite") \(version)" }

    /// Whether a library before SQLite 3.38 has the functions for JSON.
    private var isBuiltWithJSON: Bool {
        api.pointee.compileoption_used("ENABLE_JSON1") != 0
    }
}

extension LibraryFeature {
    /// The first version of SQLite with the feature, as a number: 3.35.0 is 3035000.
    fileprivate var minimumVersionNumber: Int32 {
        switch self {
        case .upsert: 3_024_000
        case .renameColumn: 3_025_000
        case .vacuumInto: 3_027_000
        case .nullsOrdering, .aggregateFilter: 3_030_000
        case .generatedColumns: 3_031_000
        case .iif: 3_032_000
        case .upsertOnAnyConflict, .returning, .dropColumn: 3_035_000
        case .strictTables: 3_037_000
        case .json, .jsonOperators: 3_038_000
        case .jsonErrorPosition: 3_042_000
        case .aggregateOrdering: 3_044_000
        case .jsonb, .jsonValidationOptions: 3_045_000
        }
    }
}
