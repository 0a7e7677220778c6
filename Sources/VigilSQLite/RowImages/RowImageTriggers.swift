import CVigilSQLite
import VigilStorage

/// Temporary triggers for the values of changed rows, where the library has no pre-update hook.
///
/// They are created and dropped outside of transactions, because a rollback would undo that unnoticed. The
/// exception is a schema change: conflicting triggers are dropped before it runs. A wrong assumption about
/// the existing triggers only reduces the precision (see ``ChangeQueue``).
final class RowImageTriggers {
    private var desired: Set<TableName> = []
    private var plans: [TableName: RowImagePlan] = [:]
    /// The calls of existing triggers, and of triggers restored by a rollback.
    private var parts: [Int64: RowImagePlan.Part] = [:]
    private var nextNumber: Int64 = 1
    /// The schema state of the ``plans``, by the reporter's count; 0 for none.
    private var version = 0
    private var hasFunction = false
    private var mayExist = false
    /// Whether the triggers are being read or changed.
    private(set) var isAccessingTriggers = false

    /// Whether no triggers exist, and none are requested.
    var isIdle: Bool { desired.isEmpty && !mayExist }

    func provide(for tables: Set<TableName>) {
        guard tables != desired else { return }
        desired = tables
        version = 0
    }

    /// Returns the plan for a table's row values, unless the schema has changed since.
    func plan(for table: TableName, version: Int) -> RowImagePlan? {
        version == self.version ? plans[table] : nil
    }

    func part(_ number: Int64) -> RowImagePlan.Part? { parts[number] }

    /// Returns whether ``update(_:_:)`` has anything to do.
    func isOutdated(version: Int, isReporting: Bool) -> Bool {
        isReporting ? version != self.version && !isIdle : mayExist
    }

    /// Creates and drops triggers as requested. Must be called outside of transactions.
    func update(_ connection: SQLiteConnection, _ reporter: ChangeReporter) {
        let isReporting = reporter.interest >= .changes && connection.options.access != .readOnly
        guard !isAccessingTriggers, !connection.isRunningWrite else { return }
        accessTriggers(connection) {
            if isReporting { reporter.compareSchemaVersion() }
            guard let existing = try? connection.rowImageTriggers() else { return }
            let current = parts.values.reduce(into: [TableName: RowImagePlan]()) {
                $0[$1.plan.table] = $1.plan
            }
            var kept: [TableName: RowImagePlan] = [:]
            var missing: [RowImagePlan] = []
            for table in isReporting ? desired : [] {
                guard let plan = try? connection.rowImagePlan(for: table) else { continue }
                if let known = current[table], known.isSame(as: plan), isComplete(known, existing) {
                    kept[table] = known
                } else {
                    missing.append(plan)
                }
            }
            let names = Set(kept.values.flatMap { triggerNames(of: $0) })
            for trigger in existing where !names.contains(trigger.name) {
                try? connection.runInternally(drop(trigger.name))
            }
            parts = parts.filter { kept[$0.value.plan.table] === $0.value.plan }
            mayExist = !kept.isEmpty
            version = reporter.tables.version
            for plan in missing { create(plan, on: connection, into: &kept) }
            plans = kept
            reporter.didChangeTriggers()
        }
    }

    /// Drops the triggers in conflict with a schema change, or outdated by it.
    ///
    /// - Parameter tables: the changed tables; empty if any table may change.
    func dropConflicting(with tables: [TableName], _ connection: SQLiteConnection, _ reporter: ChangeReporter)
    {
        guard mayExist, !isAccessingTriggers else { return }
        accessTriggers(connection) {
            let conflicting = ((try? connection.rowImageTriggers()) ?? []).filter { trigger in
                tables.isEmpty || tables.contains { $0.name.isSameName(as: trigger.table) }
            }
            for trigger in conflicting { try? connection.runInternally(drop(trigger.name)) }
            version = 0
            reporter.didChangeTriggers()
        }
    }

    /// Drops the triggers with names of removed columns: no change of such a table would compile. Returns
    /// whether there were any.
    func dropStale(_ connection: SQLiteConnection, _ reporter: ChangeReporter) -> Bool {
        guard mayExist, !isAccessingTriggers else { return false }
        var hasDropped = false
        accessTriggers(connection) {
            for trigger in (try? connection.rowImageTriggers()) ?? [] {
                let number = Int64(trigger.name.dropFirst(RowImagePlan.namePrefix.count))
                if let plan = number.flatMap({ parts[$0]?.plan }) {
                    let columns = (try? connection.columns(of: plan.table))?.map(\.column.name) ?? []
                    let isStale = plan.columns.contains { name in
                        !columns.contains { $0.isSameName(as: name) }
                    }
                    guard isStale else { continue }
                }
                if (try? connection.runInternally(drop(trigger.name))) != nil { hasDropped = true }
            }
            if hasDropped {
                version = 0
                reporter.didChangeTriggers()
            }
        }
        return hasDropped
    }

    private func accessTriggers(_ connection: SQLiteConnection, _ body: () -> Void) {
        isAccessingTriggers = true
        defer { isAccessingTriggers = false }
        connection.withInternalStatements(recordsApart: true, waitsForLocks: false, body)
    }

    private func drop(_ name: String) -> String { "DROP TRIGGER IF EXISTS temp.\(name.quotedSQLName)" }

    private func triggerNames(of plan: RowImagePlan) -> [String] {
        parts.filter { $0.value.plan === plan && $0.value.start == 0 }
            .map { "\(RowImagePlan.namePrefix)\($0.key)" }
    }

    private func isComplete(_ plan: RowImagePlan, _ existing: [(name: String, table: String)]) -> Bool {
        triggerNames(of: plan).allSatisfy { name in existing.contains { $0.name == name } }
    }

    /// Creates the triggers of a table, or none of them: its changes are then reported without values.
    private func create(
        _ plan: RowImagePlan, on connection: SQLiteConnection, into created: inout [TableName: RowImagePlan]
    ) {
        do throws(StorageError) {
            try addFunction(connection)
            let (triggers, parts) = plan.make(
                number: &nextNumber, argumentLimit: connection.limit(SQLiteLimit.functionArguments))
            try connection.runInternally("SAVEPOINT \(RowImagePlan.functionName)")
            do throws(StorageError) {
                for trigger in triggers { try connection.runInternally(trigger.sql) }
            } catch {
                try? connection.runInternally("ROLLBACK TO \(RowImagePlan.functionName)")
                try? connection.runInternally("RELEASE \(RowImagePlan.functionName)")
                throw error
            }
            try connection.runInternally("RELEASE \(RowImagePlan.functionName)")
            self.parts.merge(parts) { $1 }
            mayExist = true
            created[plan.table] = plan
        } catch {
            // After a temporary failure, such as a lock, try again; after any other, wait for the next
            // schema change.
            if [.busy, .locked, .interrupt].contains(error.code.primary) { version = 0 }
        }
    }

    private func addFunction(_ connection: SQLiteConnection) throws(StorageError) {
        guard !hasFunction else { return }
        try connection.addRowImageFunction()
        hasFunction = true
    }
}
