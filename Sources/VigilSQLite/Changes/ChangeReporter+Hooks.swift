import CVigilSQLite
import VigilStorage

/// The library's hooks, which call the reporter.
extension ChangeReporter {
    func installTransactionHooks(on handle: OpaquePointer) {
        guard interest >= .transactions else {
            _ = api.pointee.commit_hook(handle, nil, nil)
            _ = api.pointee.rollback_hook(handle, nil, nil)
            return
        }
        let context = Unmanaged.passUnretained(self).toOpaque()
        _ = api.pointee.commit_hook(
            handle,
            { context in
                guard let context else { return 0 }
                let reporter = Unmanaged<ChangeReporter>.fromOpaque(context).takeUnretainedValue()
                return reporter.willCommit() ? 0 : 1
            }, context)
        _ = api.pointee.rollback_hook(
            handle,
            { context in
                guard let context else { return }
                Unmanaged<ChangeReporter>.fromOpaque(context).takeUnretainedValue().didRollBack()
            }, context)
    }

    func installRowHook(on handle: OpaquePointer) {
        let context = interest >= .changes ? Unmanaged.passUnretained(self).toOpaque() : nil
        if let preupdateHook = api.pointee.preupdate_hook {
            _ = preupdateHook(handle, context == nil ? nil : didHookPreupdate, context)
        } else {
            _ = api.pointee.update_hook(handle, context == nil ? nil : didHookUpdate, context)
        }
    }

    /// Removes the pre-update hook, because it makes the library compile deletions of whole tables to run
    /// row by row.
    func suspendRowHook() {
        guard interest == .changes, let handle = connection?.handle else { return }
        _ = api.pointee.preupdate_hook?(handle, nil, nil)
    }

    /// Installs the hook again after ``suspendRowHook()``.
    func resumeRowHook() {
        guard interest == .changes, reportsRows, let handle = connection?.handle else { return }
        installRowHook(on: handle)
    }
}

private func didHookPreupdate(
    _ context: UnsafeMutableRawPointer?, _ database: OpaquePointer?, _ operation: Int32,
    _ schema: UnsafePointer<CChar>?, _ table: UnsafePointer<CChar>?, _ oldKey: Int64, _ newKey: Int64
) {
    guard let context, let schema, let table else { return }
    Unmanaged<ChangeReporter>.fromOpaque(context).takeUnretainedValue()
        .didChangeRow(operation, schema, table, oldKey: oldKey, newKey: newKey, database: database)
}

/// Handles a call of the update hook, which passes a single key. If the statement changes row ids, the whole
/// table was reported before it ran, unless triggers supply both row ids.
private func didHookUpdate(
    _ context: UnsafeMutableRawPointer?, _ operation: Int32, _ schema: UnsafePointer<CChar>?,
    _ table: UnsafePointer<CChar>?, _ key: Int64
) {
    guard let context, let schema, let table else { return }
    Unmanaged<ChangeReporter>.fromOpaque(context).takeUnretainedValue()
        .didChangeRow(operation, schema, table, oldKey: key, newKey: key, database: nil)
}
