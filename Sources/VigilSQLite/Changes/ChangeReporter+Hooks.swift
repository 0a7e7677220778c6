import CVigilSQLite
import VigilStorage

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
        guard interest >= .changes else { return removeRowHook(from: handle) }
        let context = Unmanaged.passUnretained(self).toOpaque()
        guard let installPreupdateHook = api.pointee.preupdate_hook else {
            return installUpdateHook(on: handle, context)
        }
        _ = installPreupdateHook(
            handle,
            { context, database, operation, schema, table, oldKey, newKey in
                guard let context, let schema, let table else { return }
                Unmanaged<ChangeReporter>.fromOpaque(context).takeUnretainedValue()
                    .didChangeRow(
                        operation, schema: schema, table: table, oldKey: oldKey, newKey: newKey,
                        database: database)
            }, context)
    }

    /// Installs the update hook, which passes a single key. If a statement changes row ids, the whole table
    /// was reported before it ran, unless triggers supply both row ids.
    private func installUpdateHook(on handle: OpaquePointer, _ context: UnsafeMutableRawPointer) {
        _ = api.pointee.update_hook(
            handle,
            { context, operation, schema, table, key in
                guard let context, let schema, let table else { return }
                Unmanaged<ChangeReporter>.fromOpaque(context).takeUnretainedValue()
                    .didChangeRow(
                        operation, schema: schema, table: table, oldKey: key, newKey: key, database: nil)
            }, context)
    }

    private func removeRowHook(from handle: OpaquePointer) {
        if let installPreupdateHook = api.pointee.preupdate_hook {
            _ = installPreupdateHook(handle, nil, nil)
        } else {
            _ = api.pointee.update_hook(handle, nil, nil)
        }
    }

    /// Removes the pre-update hook: with it, the library compiles deletions of whole tables row by row.
    func suspendRowHook() {
        guard interest == .changes, let handle = connection?.handle else { return }
        _ = api.pointee.preupdate_hook?(handle, nil, nil)
    }

    func resumeRowHook() {
        guard interest == .changes, reportsRows, let handle = connection?.handle else { return }
        installRowHook(on: handle)
    }
}
