import CVigilSQLite
import VigilStorage

/// Combines the reports of the update hook and of the triggers about the same change.
extension ChangeReporter {
    /// Updates the triggers before a transaction begins: triggers are only created outside of transactions.
    func willBegin() {
        guard triggers.isOutdated(version: tables.version, isReporting: interest >= .changes),
            runs.depth == 0,
            let connection, !connection.isInTransaction
        else { return }
        triggers.update(connection, self)
    }

    /// Prepares the triggers for a statement, which may begin a transaction, or change what the triggers
    /// name.
    func prepareTriggers(for run: StatementRun) {
        guard !triggers.isIdle, !triggers.isAccessingTriggers, let connection else { return }
        if run.changesSchema {
            triggers.dropConflicting(with: run.alteredTables, connection, self)
        } else if !run.isReadOnly || run.beginsTransaction {
            willBegin()
        }
    }

    /// Holds a change back if it waits for its values, or follows a change that does.
    ///
    /// - Returns: whether it is held. If not, the caller reports it now.
    func hold(_ target: CurrentTable, _ kind: RowChange.Kind, key: Int64, mayHaveMoved: Bool) -> Bool {
        let isWaiting = target.plan != nil && !runs.hasNestedRun && !runs.wasReportedCoarsely(target.name)
        guard isWaiting || !held.isEmpty else { return false }
        if held.isFull { reportHeldChanges() }
        held.append(
            HeldChanges.Entry(
                target: target, kind: kind, key: key, mayHaveMoved: mayHaveMoved, isWaiting: isWaiting))
        return true
    }

    /// Receives values from a trigger. They are only valid during the call.
    func receiveRowImages(_ values: UnsafeMutablePointer<OpaquePointer?>, count: Int) {
        let leading = RowImagePlan.leadingArguments
        guard !held.isEmpty, count > leading, let number = values[0], let key = values[1],
            let oldKey = values[2], let part = triggers.part(api.pointee.value_int64(number)),
            let position = held.position(of: part, key: api.pointee.value_int64(key))
        else { return }
        let (cells, cellCount) = (values + leading, count - leading)
        // The file could call the function with any number of arguments.
        if position == 0, part.start == 0, part.isLast, cellCount == part.valueCount {
            let images = held.borrowedImages
            images.borrow(cells, part)
            let entry = held.removeFirst()
            report(entry, oldKey: api.pointee.value_int64(oldKey), images)
            images.endBorrowing()
        } else {
            guard let images = held.gather(cells, cellCount, part) else { return }
            held.complete(at: position, oldKey: api.pointee.value_int64(oldKey), images: images)
        }
        while let entry = held.removeFirstIfComplete() { report(entry, oldKey: entry.oldKey, entry.images) }
    }

    /// Reports all changes that are held back, without the values that did not arrive: at the end of a
    /// statement, and before other code runs.
    func reportHeldChanges() {
        guard !held.isEmpty else { return }
        for entry in held.removeAll() { report(entry, oldKey: entry.oldKey, entry.images) }
    }

    private func report(_ entry: HeldChanges.Entry, oldKey: Int64?, _ images: TriggeredRowImages?) {
        let target = entry.target
        guard images != nil else {
            report(
                target, entry.kind,
                target.rowKeys(entry.kind, oldKey: entry.key, newKey: entry.key, images: nil))
            if entry.mayHaveMoved { sink?.didChange(.table(target.name)) }
            return
        }
        let old = entry.kind == .insert ? nil : RowKey.integer(oldKey ?? entry.key)
        let new = entry.kind == .delete ? nil : RowKey.integer(entry.key)
        report(target, entry.kind, (old, new), images)
    }
}

/// Returns whether a name is that of a trigger that supplies row values.
func isNameOfRowImageTrigger(_ name: UnsafePointer<CChar>) -> Bool {
    for (index, byte) in rowImageTriggerPrefix.enumerated() where name[index] != byte { return false }
    return true
}

/// The bytes of ``RowImagePlan/namePrefix``, without a terminating zero.
private let rowImageTriggerPrefix = Array(RowImagePlan.namePrefix.utf8CString.dropLast())
