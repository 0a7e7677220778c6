import VigilStorage

/// A change of a commit, for a later report.
enum SimulatedFeedChange: Sendable {
    case row(SimulatedDefinition, RowChange.Kind, old: SimulatedTable.Row?, new: SimulatedTable.Row?)
    case table(TableName)

    static func changes(from old: SimulatedState, to new: SimulatedState) -> [SimulatedFeedChange] {
        var changes: [SimulatedFeedChange] = []
        for name in Set(old.tables.keys).union(new.tables.keys).sorted() {
            switch (old.tables[name], new.tables[name]) {
            case (let old?, let new?) where old.definition.sql == new.definition.sql:
                changes += rowChanges(from: old, to: new)
            case (let old, let new):
                changes += [old, new].compactMap { $0.map { .table($0.definition.name) } }
                changes.append(.table(TableName(name: SimulatedState.schemaTable)))
            }
        }
        return changes
    }

    private static func rowChanges(from old: SimulatedTable, to new: SimulatedTable) -> [SimulatedFeedChange]
    {
        let definition = new.definition
        let deleted = old.rows.filter { new.row($0.id) == nil }
        return deleted.map { .row(definition, .delete, old: $0, new: nil) }
            + new.rows.compactMap { row in
                guard let previous = old.row(row.id) else {
                    return .row(definition, .insert, old: nil, new: row)
                }
                return previous.values == row.values
                    ? nil : .row(definition, .update, old: previous, new: row)
            }
    }

    func report(to receiver: any CommitFeedReceiver) {
        switch self {
        case .table(let name): receiver.didChange(.table(name))
        case .row(let definition, let kind, let old, let new):
            let images = SimulatedRowImages(
                columnNames: definition.columnNames, old: old?.values, new: new?.values)
            receiver.didChange(
                .row(
                    RowChange(
                        table: definition.name, kind: kind, oldKey: old.map { .integer($0.id) },
                        newKey: new.map { .integer($0.id) }, images: images)))
            images.end()
        }
    }
}
