import VigilStorage

/// Forwards reports with a planted mistake.
final class FaultySink: ChangeSink {
    private weak var target: (any ChangeSink)?
    private let retained: (any ChangeSink)?
    private let mistake: Mistake

    init(_ target: any ChangeSink, _ mistake: Mistake) {
        self.target = target
        self.mistake = mistake
        retained = mistake == .retainsSink ? target : nil
    }

    func didChange(_ event: ChangeEvent) {
        switch (mistake, event) {
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
        return mistake == .ignoresVeto || answer
    }

    func didRollback() {
        if mistake != .losesRollbacks { target?.didRollback() }
    }
}

extension ChangeEvent {
    fileprivate var isInsertion: Bool {
        if case .row(let row) = self { row.kind == .insert } else { false }
    }
}
