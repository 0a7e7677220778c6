public import VigilStorage

/// The part of one table in a ``DatabaseRegion``.
public struct TableRegion: Sendable, Hashable {
    /// The name of the table.
    public let table: TableName
    let part: TablePart

    /// The columns; `nil` for all.
    public var columns: Set<String>? { part.columns.named?.spellings }

    /// The row ids; `nil` for all rows.
    public var rowIDs: Set<Int64>? { part.rowIDs }
}

extension TableRegion: CustomStringConvertible, CustomDebugStringConvertible {
    /// The table with its columns and rows, such as `player(name,score)[1,2]`.
    public var description: String { "\(table)\(part)" }

    /// The description with the conditions on significant rows, such as `player(score,team){team = 5}`.
    public var debugDescription: String { "\(table)\(part.debugDescription)" }
}
