import VigilEngine
import VigilStorage

/// A column of the primary key, for comparing rows.
struct PrimaryKeyColumn: Equatable, Sendable {
    let name: String
    /// The conversion of stored values by the column; `nil` if it is unknown.
    let affinity: ColumnAffinity?

    static func == (a: PrimaryKeyColumn, b: PrimaryKeyColumn) -> Bool { a.name.isSameName(as: b.name) }

    /// Returns the stored form of a value in the column, or the value itself if the form is uncertain.
    func stored(_ value: DatabaseValue) -> DatabaseValue {
        affinity?.stored(value.storageValue).map { DatabaseValue($0) } ?? value
    }
}

/// The values of a row's primary key, in the order of SQLite, column by column.
struct PrimaryKeyValues: Sendable {
    let values: [DatabaseValue]

    /// Returns a negative number, 0 or a positive number if this key sorts before, equal to or after another
    /// one.
    func order(to other: PrimaryKeyValues) -> Int {
        for (one, two) in zip(values, other.values) {
            let order = one.storageValue.order(to: two.storageValue)
            if order != 0 { return order }
        }
        return 0
    }
}
