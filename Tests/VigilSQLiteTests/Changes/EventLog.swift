import VigilStorage

/// Records the reports of a connection as text.
final class EventLog: ChangeSink {
    private(set) var entries: [String] = []
    var vetoesCommits = false
    /// The row interest to return for each table.
    var interests: [String: RowInterest] = [:]

    /// Returns and removes the entries since the last call.
    func take() -> [String] {
        defer { entries = [] }
        return entries
    }

    /// Returns whether a table or row is covered by a row report, a table report, or a report of the whole
    /// database.
    func covers(_ table: String, _ rowID: Int64? = nil) -> Bool {
        entries.contains { entry in
            entry == "database" || entry == "table \(table)"
                || rowID.map { entry.contains(" \(table) ") && entry.split(separator: " ").contains("\($0)") }
                    ?? false
        }
    }

    func didChange(_ event: ChangeEvent) {
        switch event {
        case .database: entries.append("database")
        case .table(let table): entries.append("table \(table)")
        case .row(let change): entries.append(describe(change))
        }
    }

    func rowInterest(in table: TableName, _ kind: RowChange.Kind) -> RowInterest {
        interests[table.name] ?? .row
    }

    func willCommit() -> Bool {
        entries.append("will commit")
        return !vetoesCommits
    }

    func didRollback() { entries.append("rollback") }

    private func describe(_ change: RowChange) -> String {
        let keys = [change.oldKey, change.newKey].compactMap { $0 }.map(describe)
        var words =
            ["\(change.kind)", "\(change.table)"]
            + keys.reduce(into: []) { if $0.last != $1 { $0.append($1) } }
        if let images = change.images {
            let columns = images.columnNames.indices
            if change.kind != .insert {
                words.append("from \(columns.map { describe(images.oldValue(at: $0)) })")
            }
            if change.kind != .delete {
                words.append("to \(columns.map { describe(images.newValue(at: $0)) })")
            }
        }
        return words.joined(separator: " ")
    }

    private func describe(_ key: RowKey) -> String {
        switch key {
        case .integer(let rowID): "\(rowID)"
        case .values(let values): values.map { describe($0) }.joined(separator: "|")
        case .unknown: "?"
        }
    }

    private func describe(_ cell: StorageCell?) -> String {
        cell.map { describe($0.value) } ?? "-"
    }

    private func describe(_ value: StorageValue) -> String {
        switch value {
        case .null: "NULL"
        case .integer(let integer): "\(integer)"
        case .real(let real): "\(real)"
        case .text(let text): text
        case .blob(let bytes): "\(bytes)"
        }
    }
}
