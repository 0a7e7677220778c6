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

    /// Prepares the triggers for a statement that may begin a transaction or change a table that they name.
    func prepareTriggers(for run: StatementRun) {
        guard !triggers.isIdle, !triggers.isAccessingTriggers, let connection else { return }
        if run.changesSchema {
            triggers.dropConflicting(with: run.alteredTables, connection, self)
        } else if !run.isReadOnly || run.beginsTransaction {
            willBegin()
        }
    }

    /// Appends a change if it waits for its values, or follows a waiting one. Otherwise the caller must
    /// report it now, and this returns `false`.
    func enqueue(_ target: CurrentTable, _ kind: RowChange.Kind, key: Int64, mayHaveMoved: Bool) -> Bool {
        let isWaiting = target.plan != nil && !runs.hasNestedRun && !runs.wasReportedCoarsely(target.name)
        guard isWaiting || !queue.isEmpty else { return false }
        if queue.isFull { reportQueuedChanges() }
        queue.append(
            ChangeQueue.Entry(
                target: target, kind: kind, key: key, mayHaveMoved: mayHaveMoved, isWaiting: isWaiting))
        return true
    }

    /// Receives values from a trigger. They are only valid during the call.
    func receiveRowImages(_ values: UnsafeMutablePointer<OpaquePointer?>, count: Int) {
        let leading = RowImagePlan.leadingArguments
        guard !queue.isEmpty, count > leading, let number = values[0], let key = values[1],
            let oldKey = values[2], let part = triggers.part(api.pointee.value_int64(number)),
            let position = queue.position(of: part, key: api.pointee.value_int64(key))
        else { return }
        let (cells, cellCount) = (values + leading, count - leading)
        // The file could call the function with any number of arguments.
        if position == 0, part.start == 0, part.isLast, cellCount == part.valueCount {
            let images = queue.borrowedImages
            images.borrow(cells, part)
            let entry = queue.removeFirst()
            report(entry, oldKey: api.pointee.value_int64(oldKey), images)
            images.endBorrowing()
        } else {
            guard let images = queue.gather(cells, count: cellCount, of: part) else { return }
            queue.complete(at: position, oldKey: api.pointee.value_int64(oldKey), images: images)
        }
        while let entry = queue.removeFirstIfComplete() { report(entry, oldKey: entry.oldKey, entry.images) }
    }

    var hasQueuedChanges: Bool { !queue.isEmpty }

    /// Reports all queued changes, without missing values, at the end of a statement and before other code.
    func reportQueuedChanges() {
        guard hasQueuedChanges else { return }
        for entry in queue.removeAll() { report(entry, oldKey: entry.oldKey, entry.images) }
    }

    private func report(_ entry: ChangeQueue.Entry, oldKey: Int64?, _ images: TriggeredRowImages?) {
        let target = entry.target
        guard images != nil else {
            report(
                entry.kind, in: target,
                keys: target.rowKeys(entry.kind, oldKey: entry.key, newKey: entry.key, images: nil))
            if entry.mayHaveMoved { sink?.didChange(.table(target.name)) }
            return
        }
        let old = entry.kind == .insert ? nil : RowKey.integer(oldKey ?? entry.key)
        let new = entry.kind == .delete ? nil : RowKey.integer(entry.key)
        report(entry.kind, in: target, keys: (old, new), images: images)
    }
}

/// Returns whether a trigger of this name supplies row values.
func isNameOfRowImageTrigger(_ name: UnsafePointer<CChar>) -> Bool {
    for (index, byte) in rowImageTriggerPrefix.enumerated() where name[index] != byte { return false }
    return true
}

/// The bytes of ``RowImagePlan/namePrefix``, without a terminating zero.
private let rowImageTriggerPrefix = Array(RowImagePlan.namePrefix.utf8CString.dropLast())
