import VigilStorage

/// Forwards reports with a planted bug.
final class FaultySink: ChangeSink {
    private weak var target: (any ChangeSink)?
    private let retained: (any ChangeSink)?
    private let bug: PlantedBug

    init(_ target: any ChangeSink, _ bug: PlantedBug) {
        self.target = target
        self.bug = bug
        retained = bug == .retainsSink ? target : nil
    }

    func didChange(_ event: ChangeEvent) {
        switch (bug, event) {
        case (.losesChanges, _): break
        case (.losesDeletions, .row(let row)) where row.kind == .delete: break
        case (.losesReplacedRows, _) where ReplaceFlag.isReplacing && !event.isInsertion: break
        case (.losesCoarseReports, .table), (.losesCoarseReports, .database): break
        case (.reportsOldKeyOnly, .row(let row)) where row.kind == .update:
            pass(row, .update, row.oldKey, row.oldKey)
        case (.confusesKinds, .row(let row)) where row.kind == .update:
            pass(row, .insert, nil, row.newKey)
        case (.confusesKinds, .row(let row)) where row.kind == .insert:
            pass(row, .update, row.newKey, row.newKey)
        default: target?.didChange(event)
        }
    }

    private func pass(_ row: RowChange, _ kind: RowChange.Kind, _ oldKey: RowKey?, _ newKey: RowKey?) {
        target?.didChange(.row(RowChange(table: row.table, kind: kind, oldKey: oldKey, newKey: newKey)))
    }

    func willCommit() -> Bool {
        let answer = target?.willCommit() ?? true
        return bug == .ignoresVeto || answer
    }

    func didRollback() {
        if bug != .losesRollbacks { target?.didRollback() }
    }
}

extension ChangeEvent {
    fileprivate var isInsertion: Bool {
        if case .row(let row) = self { row.kind == .insert } else { false }
    }
}
