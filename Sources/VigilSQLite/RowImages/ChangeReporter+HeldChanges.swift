import CVigilSQLite
import VigilStorage

/// Brings together what the update hook and the triggers tell of one and the same change.
extension ChangeReporter {
    /// Outside of a transaction, before one begins: the only time when triggers are created.
    func willBegin() {
        guard triggers.isOutdated(version: factsVersion, isReporting: interest >= .changes), runDepth == 0,
            let connection, !connection.isInTransaction
        else { return }
        triggers.update(connection, self)
    }

    /// Before a statement runs: it may begin a transaction, or change what the triggers name.
    func prepareTriggers(for run: StatementRun) {
        guard !triggers.isIdle, !triggers.isAtWork, let connection else { return }
        if run.changesSchema {
            triggers.giveWay(to: run.alteredTables, connection, self)
        } else if !run.isReadOnly || run.beginsTransaction {
            willBegin()
        }
    }

    func didChangeTriggers() {
        current = nil
    }

    /// Holds a change back if it waits for its values, or comes after one that does.
    ///
    /// - Returns: whether it is held; if not, it is to be told now.
    func hold(_ target: CurrentTable, _ kind: RowChange.Kind, key: Int64, mayHaveMoved: Bool) -> Bool {
        let isWaiting = target.plan != nil && !hasNestedRun && !isToldCoarsely(target.name)
        guard isWaiting || !held.isEmpty else { return false }
        if held.isFull { tellHeldChanges() }
        held.append(
            HeldChanges.Entry(
                target: target, kind: kind, key: key, mayHaveMoved: mayHaveMoved, isWaiting: isWaiting))
        return true
    }

    private func isToldCoarsely(_ table: TableName) -> Bool {
        !toldCoarsely.isEmpty && toldCoarsely.contains(table)
    }

    /// A trigger hands over values. They are lent until this returns.
    func didHandOver(_ values: UnsafeMutablePointer<OpaquePointer?>, count: Int) {
        let leading = RowImagePlan.leadingArguments
        guard !held.isEmpty, count > leading, let number = values[0], let key = values[1],
            let oldKey = values[2], let part = triggers.part(api.pointee.value_int64(number)),
            let position = held.position(of: part, key: api.pointee.value_int64(key))
        else { return }
        let (cells, cellCount) = (values + leading, count - leading)
        if position == 0, part.start == 0, part.isLast {
            lentImages.lend(cells, part)
            let entry = held.takeFirst()
            tell(entry, oldKey: api.pointee.value_int64(oldKey), lentImages)
            lentImages.end()
        } else {
            gather(cells, cellCount, part)
            guard part.isLast, let images = gathered else { return }
            gathered = nil
            held.settle(at: position, oldKey: api.pointee.value_int64(oldKey), images: images)
        }
        while let entry = held.takeSettled() { tell(entry, oldKey: entry.oldKey, entry.images) }
    }

    /// Copies values that come in several calls, or too early to be told.
    private func gather(
        _ cells: UnsafeMutablePointer<OpaquePointer?>, _ count: Int, _ part: RowImagePlan.Part
    ) {
        if part.start == 0 { gathered = TriggeredRowImages(api: api) }
        gathered?.copy(cells, count: count, part)
    }

    /// Tells all that is held back, without values where they have not come: a statement has ended, or somebody else
    /// is to run before they come.
    func tellHeldChanges() {
        guard !held.isEmpty else { return }
        for entry in held.takeAll() { tell(entry, oldKey: entry.oldKey, entry.images) }
    }

    private func tell(_ entry: HeldChanges.Entry, oldKey: Int64?, _ images: TriggeredRowImages?) {
        let target = entry.target
        guard images != nil else {
            tell(
                target, entry.kind,
                target.rowKeys(entry.kind, oldKey: entry.key, newKey: entry.key, images: nil))
            if entry.mayHaveMoved { sink?.didChange(.table(target.name)) }
            return
        }
        let old = entry.kind == .insert ? nil : RowKey.integer(oldKey ?? entry.key)
        let new = entry.kind == .delete ? nil : RowKey.integer(entry.key)
        tell(target, entry.kind, (old, new), images)
    }
}

/// Whether a name is that of a trigger that hands over values.
func isNameOfRowImageTrigger(_ name: UnsafePointer<CChar>) -> Bool {
    for (index, byte) in rowImageTriggerPrefix.enumerated() where name[index] != byte { return false }
    return true
}

/// ``RowImagePlan/namePrefix``, without a zero byte at the end.
private let rowImageTriggerPrefix = Array(RowImagePlan.namePrefix.utf8CString.dropLast())
