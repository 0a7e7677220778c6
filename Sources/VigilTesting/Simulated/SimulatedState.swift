import VigilStorage

/// The whole content of a simulated database at one moment: a value, so that a snapshot is a copy.
struct SimulatedState: Sendable {
    /// By folded name.
    private(set) var tables: [String: SimulatedTable] = [:]
    /// Differs between two states whose tables are defined differently.
    private(set) var schemaStamp = 0
    /// How many commits led here.
    var commitNumber: Int64 = 0
    /// Differs from that of the state that a transaction began with as long as the transaction changes something.
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

    /// A table that may be written.
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

    /// - Parameter stamp: a number that no other schema has.
    mutating func add(_ table: SimulatedTable, stamp: Int) {
        replaceRows(of: table)
        schemaStamp = stamp
    }

    mutating func removeTable(_ name: String, stamp: Int) {
        tables[name.foldedName] = nil
        changeStamp += 1
        schemaStamp = stamp
    }

    // MARK: The table of tables

    static let schemaTable = "sqlite_master"

    /// The tables as rows, under the name and with the columns that SQLite gives them.
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
