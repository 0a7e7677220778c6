public import VigilEngine

/// An error in a fetch, update or comparison of a record by its key.
///
/// ```swift
/// do {
///     let player = try dbQueue.read { try Player.find($0, key: 42) }
/// } catch RecordError.recordNotFound(let table, let key) {
///     print("no row in \(table) for \(key)")
/// }
/// ```
public enum RecordError: Error, Hashable, Sendable {
    /// The table has no row with the given key.
    ///
    /// - Parameter key: The values of the key by column name. Empty if the table has no such key.
    case recordNotFound(databaseTableName: String, key: [String: DatabaseValue])
}

extension RecordError: CustomStringConvertible {
    /// The table and the key, such as `Key not found in table player: [id:42]`.
    public var description: String {
        switch self {
        case .recordNotFound(let table, let key):
            let values = key.sorted { $0.key < $1.key }.map { column, value in "\(column):\(value)" }
            return "Key not found in table \(table): [\(values.joined(separator: " "))]"
        }
    }
}

/// The previous name of ``RecordError``.
@available(*, deprecated, renamed: "RecordError")
public typealias PersistenceError = RecordError
