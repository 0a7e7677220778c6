import VigilLists
import VigilRegions
import VigilStorage

/// Fetches a list once: all rows, or those that changed.
struct ListFetcher {
    private let request: ListRequest
    private let prepared: ListRequest.Prepared
    private let query: ListQuery
    private let memory: ListMemory
    private let db: Database
    /// The state after the last fetch; `nil` before the first one.
    private let last: ListSnapshot?
    private let arguments: [DatabaseValue]
    private var region: DatabaseRegion
    /// Whether all or many rows were fetched, so that the version before may share few nodes.
    private var fetchesMany = false

    private var report: ListPlanReport {
        prepared.supplementaryFetch == nil ? query.report : .refused("it prefetches associated rows")
    }

    /// Fetches the list, and stores its state in the memory.
    ///
    /// - Parameter prepared: the request, if it is prepared already.
    /// - Returns: the version, whose elements have the type that the request decodes.
    static func fetch(
        _ request: ListRequest, prepared: ListRequest.Prepared? = nil, into memory: ListMemory,
        _ db: Database
    ) throws -> ListVersion? {
        var fetcher = try ListFetcher(request, prepared: prepared, into: memory, db)
        return try fetcher.fetch()
    }

    private init(
        _ request: ListRequest, prepared: ListRequest.Prepared?, into memory: ListMemory, _ db: Database
    ) throws {
        self.request = request
        self.memory = memory
        self.db = db
        // A statement in the cache may have been planned for another schema.
        try db.checkSchema()
        self.prepared = try prepared ?? request.prepare(db)
        query = try self.prepared.statement.listQuery()
        last = memory.last
        arguments = self.prepared.statement.bound.values
        region = last?.region ?? DatabaseRegion()
        if let links = query.links { memory.keepValues(of: links.columns) }
    }

    private mutating func fetch() throws -> ListVersion? {
        let context = db.fetchContext?.fetch.list
        var machine = planned()
        // The region of a list that is not followed is only known once it is fetched again.
        let changes = machine.unfollowedReason == nil ? knownChanges(context) : nil
        let fetch = machine.didRequestFetch(changes, linked: try linkedRows(changes, machine))
        var isUnchanged = false
        switch fetch {
        case .none:
            db.record(region)
            isUnchanged = true
        case .rows(let rowIDs): try fetchRows(rowIDs, &machine)
        case .all(let reason): try fetchAll(&machine, reason)
        }
        let base = context.flatMap { baseAfterFetch($0) }
        let (version, unfollowedReason) = (machine.version, machine.unfollowedReason)
        let snapshot = ListSnapshot(
            consume machine, report, arguments: arguments, functionRevision: db.functionRevision,
            region: region, base: base)
        if context?.memory === memory { db.fetchContext?.fetch.list?.result = snapshot }
        memory.store(snapshot, keepsLast: !fetchesMany) { statistics in
            if isUnchanged { statistics.unchangedCount += 1 }
            statistics.unfollowedReason = unfollowedReason?.text
        }
        return version
    }

    // MARK: - Changes

    /// Returns the changes since the last fetch, and possibly others; `nil` if they are not known.
    private func knownChanges(_ context: ListFetchContext?) -> ChangeSet? {
        guard let context, !context.mayWrite, let base = last?.base, let ledger = memory.ledger,
            db.knowsCommitsOfOthers(ledger)
        else { return nil }
        let first = context.memory === memory ? ledger.base(of: context.base, after: base) : base
        // An older commit may be fetched after a newer one: the same rows differ.
        guard let changes = ledger.changes(after: min(first, context.commit)), !changes.isWholeDatabase,
            !changes.contains(where: { db.schemaNaming.schemaTable(denotedBy: $0) != nil })
        else { return nil }
        return changes
    }

    /// Returns the rows that changes lead to by links.
    private func linkedRows(_ changes: ChangeSet?, _ machine: borrowing ListMachine) throws -> LinkedRows {
        guard let changes, let links = query.links, last != nil else { return LinkedRows() }
        let (numbers, costLimit) = (machine.links, machine.costLimit ?? ListMachine.cautiousRowLimit)
        return try db.withoutRecording {
            try links.rows(after: changes, by: numbers, costLimit: costLimit)
        }
    }

    /// Returns the commit whose state the list shows; `nil` if it also shows something else.
    private func baseAfterFetch(_ context: ListFetchContext) -> CommitNumber? {
        guard !context.mayWrite, memory.ledger != nil else { return nil }
        guard let coordinator = db.coordinator else {
            return db.fetchContext?.detectsForeignCommits == true ? context.commit : nil
        }
        coordinator.prepareLists(db)
        // Changes that are not committed yet may be rolled back.
        return db.transactionMayHaveChanges ? nil : context.commit
    }

    // MARK: - Plans

    /// How the rows are followed, or why they are not.
    private enum Following {
        case rowByRow(ListTracking)
        case refused(String)
    }

    private var following: Following {
        let plan: ListPlan
        switch report {
        case .plan(let known): plan = known
        case .refused(let reason): return .refused(reason)
        }
        guard let window = plan.window else { return .rowByRow(ListTracking(plan)) }
        do throws(WindowRange.Failure) {
            // Without all arguments, the statement of the request throws.
            let range = try WindowRange(window) { index in
                arguments.indices.contains(index - 1) ? arguments[index - 1].storageValue : .null
            }
            return .rowByRow(ListTracking(plan, window: range))
        } catch {
            return .refused(error.text)
        }
    }

    /// Returns a machine with the current plan and arguments.
    private func planned() -> ListMachine {
        guard let last else {
            switch following {
            case .rowByRow(let tracking): return ListMachine(tracking, traits: request.traits)
            case .refused(let reason): return ListMachine(notFollowed: reason, traits: request.traits)
            }
        }
        var machine = last.machine
        let isSame =
            last.report == report && last.functionRevision == db.functionRevision
            && arguments.count == last.arguments.count
            && arguments.indices.allSatisfy { arguments[$0].isIdentical(to: last.arguments[$0]) }
        if isSame { return machine }
        switch following {
        case .rowByRow(let tracking): machine.didChangePlan(tracking)
        case .refused(let reason): machine.didChangePlan(nil, notFollowed: reason)
        }
        return machine
    }

    // MARK: - Fetching

    private mutating func fetchAll(_ machine: inout ListMachine, _ reason: FullFetchReason) throws {
        fetchesMany = true
        memory.count { $0.fullFetchCounts[reason.text, default: 0] += 1 }
        if let all = query.all, machine.unfollowedReason == nil, try fetchFollowed(all, &machine) { return }
        var rows = machine.rows
        try fetchUnfollowed(into: &rows)
        _ = machine.didFetchAll(rows)
    }

    /// Fetches all rows with their places. Returns `false` if the request itself must run.
    private mutating func fetchFollowed(_ all: KeyedStatement, _ machine: inout ListMachine) throws -> Bool {
        var rows = machine.rows
        let wasInSnapshot = db.isInsideTransaction
        let cost: Int?
        do {
            cost = try fetchAll(all, machine, into: &rows)
        } catch let error
            where machine.isWindow && error.mayDependOnARow
            && db.canContinueFetch(after: error, wasInSnapshot: wasInSnapshot)
        {
            // The request may not read the rows beside its window.
            machine.didFailToFetchWindow()
            return false
        }
        if case .fetchAll = machine.didFetchAll(rows, region: region, cost: cost) { return false }
        return true
    }

    /// Fetches all rows, or the first ones of a window, and sets the region.
    ///
    /// - Returns: the cost; `nil` if it is unknown.
    private mutating func fetchAll(
        _ all: KeyedStatement, _ machine: borrowing ListMachine, into rows: inout FetchedRows
    ) throws -> Int? {
        let isWindow = try all.bind(likeThoseOf: prepared.statement, machine)
        _ = all.statement.storage.resetWork()
        if isWindow {
            // The last row bounds the region, unless the library compiled the statement again.
            let revision = all.statement.storage.accessRevision
            var region = DatabaseRegion()
            try db.recording(&region, boundsResults: true) {
                try all.run(adapter: prepared.adapter, append: request.append, to: &rows)
            }
            let isCurrent = all.statement.storage.accessRevision == revision
            self.region = isCurrent ? region : all.statement.boundRegion
        } else {
            try all.run(adapter: prepared.adapter, append: request.append, to: &rows)
            region = all.statement.boundRegion
        }
        return all.statement.storage.resetWork()
    }

    private func fetchUnfollowed(into rows: inout FetchedRows) throws {
        if let fetchMore = prepared.supplementaryFetch {
            let fetched = try Row.fetchAll(prepared.statement, adapter: prepared.adapter)
            try fetchMore(db, fetched)
            for row in fetched { try request.append(row, nil, &rows) }
        } else {
            let cursor = try Row.fetchCursor(prepared.statement, adapter: prepared.adapter)
            while let row = try cursor.next() { try request.append(row, nil, &rows) }
        }
    }

    private mutating func fetchRows(_ rowIDs: [Set<Int64>], _ machine: inout ListMachine) throws {
        var rows = machine.rows
        // Few costs matter, and an array takes time too.
        var costs: [Int] = []
        let sourceCount = rowIDs.count
        let count = rowIDs.reduce(0) { $0 + $1.count }
        fetchesMany = count > ChangeSet.defaultRowLimit
        var costLimit = machine.costLimit ?? .max
        // A closure that captures `self` would copy it.
        let (query, prepared, append) = (query, prepared, request.append)
        let wasInSnapshot = db.isInsideTransaction
        let isComplete: Bool
        do {
            isComplete = try db.withoutRecording {
                for (source, rowIDs) in rowIDs.enumerated() where !rowIDs.isEmpty {
                    guard let list = query.rows[source] else { continue }
                    try list.statement.bind(likeThoseOf: prepared.statement, and: .null)
                    let cost = try list.lookUp(
                        rowIDs, adapter: prepared.adapter, costLimit: costLimit, append: append, to: &rows)
                    if cost.count < rowIDs.count {
                        machine.didLookUp(cost.count, of: source, cost: cost.total)
                        return false
                    }
                    guard cost.total > ListMachine.leastCost else { continue }
                    costLimit -= cost.total
                    if costs.isEmpty { costs = Array(repeating: 0, count: sourceCount) }
                    costs[source] = cost.total
                }
                return true
            }
        } catch let error
            where error.mayDependOnARow && db.canContinueFetch(after: error, wasInSnapshot: wasInSnapshot)
        {
            // The request may not evaluate its expressions for these rows.
            return try fetchAll(&machine, .failedLookUp)
        }
        guard isComplete else { return try fetchAll(&machine, .manyRows(count)) }
        memory.count { statistics in
            statistics.rowFetchCount += 1
            statistics.fetchedRowCount += count
        }
        if case .fetchAll(let reason) = machine.didFetch(rows, costs: costs) {
            return try fetchAll(&machine, reason)
        }
        db.record(region)
        try verify(&machine)
    }

    // MARK: - Verification

    /// Compares the list with all rows, if the configuration asks for it.
    private mutating func verify(_ machine: inout ListMachine) throws {
        let interval = db.configuration.listVerificationInterval
        guard interval > 0, memory.statistics.rowFetchCount.isMultiple(of: interval), let all = query.all,
            case .rowByRow(let tracking) = following
        else { return }
        var fetched = ListMachine(tracking, traits: request.traits)
        var rows = fetched.rows
        try db.withoutRecording {
            _ = try all.bind(likeThoseOf: prepared.statement, fetched)
            try all.run(adapter: prepared.adapter, append: request.append, to: &rows)
        }
        _ = fetched.didFetchAll(rows, region: region)
        guard let list = machine.version, let other = fetched.version, !list.hasSameRows(as: other) else {
            return
        }
        memory.count { $0.mismatchCount += 1 }
        machine = fetched
    }
}

/// The circumstances of the fetch of a list.
struct ListFetchContext {
    /// The state of the observation.
    let memory: ListMemory
    /// The commits since the last fetch that did not modify the list.
    let base: ListBase
    /// The last commit that the snapshot is known to contain.
    let commit: CommitNumber
    /// Whether the fetch may write. Commits then do not include its own changes.
    let mayWrite: Bool
    /// The state that this fetch resulted in; `nil` before it has ended. The memory may have a newer one.
    var result: ListSnapshot?
}

extension Error {
    /// Whether the cause may be a row, and not an interrupt, a lock or a damaged file.
    fileprivate var mayDependOnARow: Bool {
        guard let error = self as? DatabaseError else { return !(self is CancellationError) }
        let codes: [ResultCode] = [.SQLITE_ERROR, .SQLITE_TOOBIG, .SQLITE_MISMATCH, .SQLITE_CONSTRAINT]
        return !error.isTransient && codes.contains(error.resultCode)
    }
}
