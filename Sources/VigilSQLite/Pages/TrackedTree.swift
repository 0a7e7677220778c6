package import VigilStorage

/// A b-tree of the database: a table or an index.
///
/// A ``PageMap`` must know all b-trees in the schema, to account for each changed page.
package struct TrackedTree {
    /// The report about a change of the b-tree.
    package enum Content {
        /// The changed rows.
        case rows(TrackedTable)
        /// That any row of these tables may have changed.
        case tables([TableName])
        /// Nothing: an index, or the private table of a feature of SQLite.
        case ignored
    }

    package let rootPage: UInt32
    package let content: Content
}

/// A table, as far as it is necessary to decode its rows.
package struct TrackedTable {
    package struct Column {
        /// Where the value of a column is.
        package enum Place: Hashable {
            /// In the field of the record with this index.
            case field(Int)
            /// The column is an alias of the row id.
            case rowID
            /// Nowhere: the value is computed when the column is read.
            case computed
        }

        package let name: String
        package let place: Place
        /// Whether an integer in the record stands for an equal real: the column has the affinity REAL.
        package let isReal: Bool
        /// The value in records written before the column was added; `nil` if it is unknown.
        package let defaultValue: StorageValue?
    }

    package let name: TableName
    package let columns: [Column]
    /// The indexes of the columns in the primary key of a table without row ids; empty for other tables.
    package let primaryKey: [Int]

    package var isWithoutRowID: Bool { !primaryKey.isEmpty }
}
