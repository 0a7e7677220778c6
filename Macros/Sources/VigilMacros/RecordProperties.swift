/// An option of `@Record`.
public enum RecordOption: Sendable {
    /// The property `teamID` has the column `team_id`, unless `@RecordColumn` names another one.
    case snakeCase
    /// The table has no primary key.
    case keyless
    /// The record is fetched, and not saved: that of a view, for example.
    case readOnly
}

/// An option of `@FetchedRecord`.
public enum FetchedRecordOption: Sendable {
    /// The property `teamID` has the column `team_id`, unless `@RecordColumn` names another one.
    case snakeCase
}

/// An option of `@RecordColumn`.
public enum RecordColumnOption: Sendable {
    /// The column belongs to the primary key. Without this option, the primary key is the property `id`.
    case primaryKey
    /// The column contains the value as JSON. Its type is `Codable`.
    case json
    /// The database computes the value: the record reads the column, and does not write it.
    case generated
}

/// Gives a property of a record options for its column.
///
/// ```swift
/// @RecordColumn(.primaryKey) var code: String
/// ```
@attached(peer)
public macro RecordColumn(_ options: RecordColumnOption...) =
    #externalMacro(module: "VigilMacroPlugin", type: "PropertyMacro")

/// Gives a property of a record a column with another name.
///
/// ```swift
/// @RecordColumn("given_name") var name: String
/// ```
@attached(peer)
public macro RecordColumn(_ name: String, _ options: RecordColumnOption...) =
    #externalMacro(module: "VigilMacroPlugin", type: "PropertyMacro")

/// Decodes a property from the whole row, and encodes it to columns of the same row.
///
/// Its type is another record, such as one with `@Record(.keyless)`:
///
/// ```swift
/// @Record(.keyless)
/// struct Coordinate {
///     var latitude: Double
///     var longitude: Double
/// }
///
/// @Record
/// struct Place {
///     var id: UUID
///     @RecordNested var coordinate: Coordinate  // the columns latitude and longitude of the table place
/// }
/// ```
@attached(peer)
public macro RecordNested() = #externalMacro(module: "VigilMacroPlugin", type: "PropertyMacro")

/// Decodes a property of a `@FetchedRecord` from an association fetched along with the row: a record, an
/// optional record, or an array of records.
///
/// - Parameter key: the key of the association. By default, it is the name of the property.
@attached(peer)
public macro RecordAssociated(_ key: String? = nil) =
    #externalMacro(module: "VigilMacroPlugin", type: "PropertyMacro")

/// Leaves a property out: it is neither decoded nor saved. It needs a value where it is declared.
@attached(peer)
public macro RecordIgnored() = #externalMacro(module: "VigilMacroPlugin", type: "PropertyMacro")
