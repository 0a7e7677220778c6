import VigilStorage

/// Reports changes to a connection's sink, according to its interest and to the connection's capabilities.
final class SimulatedChangeReporter {
    private weak var sink: (any ChangeSink)?
    private var interest = ChangeInterest.nothing
    private let capabilities: StorageCapabilities

    init(_ capabilities: StorageCapabilities) {
        self.capabilities = capabilities
    }

    func report(to sink: (any ChangeSink)?, interest: ChangeInterest) {
        self.sink = sink
        self.interest = interest
    }

    // MARK: Changes

    func didChange(
        _ definition: SimulatedDefinition, _ kind: RowChange.Kind, from old: SimulatedTable.Row?,
        to new: SimulatedTable.Row?
    ) {
        guard interest >= .changes, let sink else { return }
        var images: SimulatedRowImages?
        if capabilities.reportsRowImages {
            images = SimulatedRowImages(
                columnNames: definition.columnNames, old: old?.values, new: new?.values)
        }
        let change = RowChange(
            table: definition.name, kind: kind, oldKey: old.map { .integer($0.id) },
            newKey: new.map { .integer($0.id) }, images: images)
        sink.didChange(.row(change))
        images?.end()
    }

    /// Reports the rows a `REPLACE` is about to delete: each of them, or their table.
    func willReplace(_ definition: SimulatedDefinition, _ rows: [SimulatedTable.Row]) {
        if capabilities.reportsEveryRow {
            for row in rows { didChange(definition, .delete, from: row, to: nil) }
        } else {
            didChangeTable(definition)
        }
    }

    /// Reports the imminent deletion of all rows of a table. As in SQLite, which truncates it, only a sink
    /// with the interest `everyRow` receives the rows; others receive a change of the table.
    func willEmpty(_ definition: SimulatedDefinition, _ rows: [SimulatedTable.Row]) {
        if interest == .everyRow, capabilities.reportsEveryRow {
            for row in rows { didChange(definition, .delete, from: row, to: nil) }
        } else {
            didChangeTable(definition)
        }
    }

    private func didChangeTable(_ definition: SimulatedDefinition) {
        guard interest >= .changes else { return }
        sink?.didChange(.table(definition.name))
    }

    // MARK: Transactions

    func willCommit() -> Bool {
        guard interest >= .transactions, let sink else { return true }
        return sink.willCommit()
    }

    func didRollback() {
        guard interest >= .transactions else { return }
        sink?.didRollback()
    }
}
