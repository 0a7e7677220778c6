public import VigilEngine

/// An error of a record that is fetched, updated or compared by its key.
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
    /// - Parameters:
    ///   - databaseTableName: The name of the table.
    ///   - key: The values of the key by column name. Empty if the table has no such key.
    case recordNotFound(databaseTableName: String, key: [String: DatabaseValue])
}

extension RecordError: CustomStringConvertible {
    /// The table and the key, such as `no row in table "player" with the key id = 42`.
    public var description: String {
        switch self {
        case .recordNotFound(let table, let key):
            guard !key.isEmpty else { return "no such row in table \"\(table)\"" }
            let values = key.sorted { $0.key < $1.key }.map { "\($0.key) = \($0.value)" }
            return "no row in table \"\(table)\" with the key \(values.joined(separator: ", "))"
        }
    }
}
