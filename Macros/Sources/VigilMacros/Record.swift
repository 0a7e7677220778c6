@_exported public import Vigil

/// Makes a struct a record of a table.
///
/// ```swift
/// @Record
/// struct Player {
///     var id: Int64?
///     var name: String
///     @RecordColumn("points") var score = 0
///     var position: Position?  // an enumeration of raw values
///     @RecordColumn(.json) var tags: [String]
/// }
///
/// let best = try Player.filter { $0.score > 1000 }.order(\.name).fetchAll(db)
/// ```
///
/// The struct then conforms to `FetchableRecord`, to `PersistableRecord` (or `MutablePersistableRecord` if
/// its primary key is an optional variable, which receives the row id of an inserted row if it is an `Int64?`
/// or `Int?`), and to `Identifiable`. The macro writes:
/// - `Columns`, with a static property for each column
/// - `databaseTableName`: the name of the struct with its initial letter or acronym in lower case, or the
///   name in the attribute
/// - `databaseSelection`: the columns of the properties, so that changes of other columns do not concern
///   observations
/// - `init(row:)` and `encode(to:)`, without `Codable`: decoding a row takes half the time
/// - `id`, if the primary key is another property. With several, it is a value of the nested type `ID`
///
/// Members and conformances that the struct declares in its own braces are left out. The macro does not know
/// the extensions of the struct.
///
/// Values are stored as their conformance to `DatabaseValueConvertible` says, or else as their raw value, or
/// as JSON with `@RecordColumn(.json)`. An optional is `nil` for NULL, and for a column that a row does not
/// have. The strategies of `Codable` records for dates, data, and keys do not apply; the functions
/// `databaseJSONDecoder(for:)` and `databaseJSONEncoder(for:)` do.
///
/// All properties are columns, but computed, static and lazy ones, and those with another attribute:
/// `@RecordIgnored`, or `@RecordNested` for another record in columns of the same table.
@attached(
    extension, conformances: FetchableRecord, TableRecord, MutablePersistableRecord, PersistableRecord,
    Identifiable,
    names: named(Columns), named(databaseTableName), named(databaseSelection), named(init(row:)),
    named(encode(to:)), named(didInsert(_:)))
@attached(member, names: named(ID), named(id))
public macro Record(_ options: RecordOption...) =
    #externalMacro(module: "VigilMacroPlugin", type: "RecordMacro")

/// Makes a struct a record of a table with a name. See `Record(_:)` without a name.
@attached(
    extension, conformances: FetchableRecord, TableRecord, MutablePersistableRecord, PersistableRecord,
    Identifiable,
    names: named(Columns), named(databaseTableName), named(databaseSelection), named(init(row:)),
    named(encode(to:)), named(didInsert(_:)))
@attached(member, names: named(ID), named(id))
public macro Record(_ table: String, _ options: RecordOption...) =
    #externalMacro(module: "VigilMacroPlugin", type: "RecordMacro")

/// Makes a struct decodable from other rows than the ones of a table: of joins, groups, or any SQL.
///
/// ```swift
/// @FetchedRecord
/// struct PlayerInfo {
///     @RecordNested var player: Player
///     @RecordAssociated var team: Team?
///     var bookCount: Int
/// }
///
/// let infos = try Player
///     .including(optional: Player.team)
///     .annotated(with: Player.books.count)
///     .asRequest(of: PlayerInfo.self)
///     .fetchAll(db)
/// ```
///
/// The struct then conforms to `FetchableRecord`. Its properties are columns, as for `@Record`.
@attached(extension, conformances: FetchableRecord, names: named(init(row:)))
public macro FetchedRecord(_ options: FetchedRecordOption...) =
    #externalMacro(module: "VigilMacroPlugin", type: "RecordMacro")
