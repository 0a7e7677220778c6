import VigilStorage

/// The content of a simulated database at a point in time. It is a value, so a snapshot is a copy.
struct SimulatedState: Sendable {
    /// The tables by folded name.
    private(set) var tables: [String: SimulatedTable] = [:]
    /// A number that differs between states with different definitions of tables.
    private(set) var schemaStamp = 0
    /// The number of commits before this state.
    var commitNumber: Int64 = 0
    /// A number incremented by each change, and restored by a rollback to a savepoint.
    private var changeStamp = 0

    func isUnchanged(since other: SimulatedState) -> Bool {
        changeStamp == other.changeStamp
    }

    func table(_ name: String) -> SimulatedTable? {
        tables[name.foldedName] ?? (name.isSameName(as: Self.schemaTable) ? schema : nil)
    }

    func requiredTable(_ name: String) throws(StorageError) -> SimulatedTable {
        guard let table = table(name) else { throw StorageError(.error, "no such table: \(name)") }
        return table
    }

    func writableTable(_ name: String) throws(StorageError) -> SimulatedTable {
        if name.isSameName(as: Self.schemaTable) {
            throw StorageError(.error, "table \(Self.schemaTable) may not be modified")
        }
        return try requiredTable(name)
    }

    mutating func replaceRows(of table: SimulatedTable) {
        tables[table.definition.name.name.foldedName] = table
        changeStamp += 1
    }

    /// Adds a table, with a stamp of no other schema.
    mutating func add(_ table: SimulatedTable, stamp: Int) {
        replaceRows(of: table)
        schemaStamp = stamp
    }

    mutating func removeTable(_ name: String, stamp: Int) {
        tables[name.foldedName] = nil
        changeStamp += 1
        schemaStamp = stamp
    }

    // MARK: sqlite_master

    static let schemaTable = "sqlite_master"

    /// The list of tables as a table, with the columns of SQLite's `sqlite_master`.
    private var schema: SimulatedTable? {
        var form = SQLTableDefinition(name: Self.schemaTable)
        form.columns = [
            .init(name: "type", type: "TEXT"), .init(name: "name", type: "TEXT"),
            .init(name: "tbl_name", type: "TEXT"), .init(name: "rootpage", type: "INT"),
            .init(name: "sql", type: "TEXT"),
        ]
        guard let definition = try? SimulatedDefinition(form) else { return nil }
        let definitions = tables.values.map(\.definition).sorted { $0.name.name < $1.name.name }
        let rows = definitions.enumerated().map { offset, definition in
            let name = StorageValue.text(definition.name.name)
            return SimulatedTable.Row(
                id: Int64(offset + 1),
                values: [.text("table"), name, name, .integer(Int64(offset + 2)), .text(definition.sql)])
        }
        return SimulatedTable(definition, rows: rows)
    }
}
