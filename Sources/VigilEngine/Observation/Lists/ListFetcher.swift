import VigilLists
import VigilRegions
import VigilStorage

/// Fetches a list once: all rows, or those that changed.
struct ListFetcher<Element: Sendable> {
    private let request: ListRequest<Element>
    private let prepared: ListRequest<Element>.Prepared
    private let statements: ListStatements
    private let memory: TypedListMemory<Element>
    private let db: Database
    /// The state after the last fetch; `nil` before the first one.
    private let last: TypedListMemory<Element>.State?
    private let arguments: [DatabaseValue]
    private var region: DatabaseRegion

    private var isFollowed: Bool { statements.plan != nil && prepared.supplementaryFetch == nil }

    /// Fetches the list, and stores its state in the memory.
    static func fetch(
        _ request: ListRequest<Element>, _ memory: TypedListMemory<Element>, _ db: Database
    ) throws -> ObservedList<Element> {
        var fetcher = try ListFetcher(request, memory, db)
        return try fetcher.fetch()
    }

    private init(
        _ request: ListRequest<Element>, _ memory: TypedListMemory<Element>, _ db: Database
    ) throws {
        self.request = request
        self.memory = memory
        self.db = db
        // A statement in the cache may have been planned for another schema.
        try db.checkSchema()
        prepared = try request.prepare(db)
        statements = try prepared.statement.listStatements()
        last = memory.state
        arguments = prepared.statement.boundArguments
        region = last?.region ?? DatabaseRegion()
    }

    private mutating func fetch() throws -> ObservedList<Element> {
        let context = db.listFetch
        var machine = planned()
        // The region of a list that is not followed is only known once it is fetched again.
        let changes = machine.unfollowedReason == nil ? knownChanges(context) : nil
        let fetch = machine.didRequestFetch(changes)
        var isUnchanged = false
        switch fetch {
        case .none:
            db.record(region)
            isUnchanged = true
        case .rows(let rowIDs): try fetchRows(rowIDs, &machine)
        case .all(let reason): try fetchAll(&machine, reason)
        }
        let base = context.flatMap { baseAfterFetch($0) }
        let plan = isFollowed ? statements.plan : nil
        let state = TypedListMemory<Element>.State(machine, plan, arguments, region, base)
        db.listFetch?.snapshot = state
        memory.store(state) { status in
            if isUnchanged { status.unchangedCount += 1 }
            status.unfollowedReason = machine.unfollowedReason?.text
        }
        return machine.list ?? ObservedList()
    }

    // MARK: - Changes

    /// Returns the changes since the last fetch, and possibly others; `nil` if they are not known.
    private func knownChanges(_ context: ListFetchContext?) -> ChangeSet? {
        guard let context, !context.mayWrite, let base = last?.base, let ledger = memory.ledger else {
            return nil
        }
        // An older commit may be fetched after a newer one: the same rows differ.
        guard let changes = ledger.changes(after: min(base, context.commit)), !changes.isWholeDatabase,
            !changes.contains(where: { db.schemaNaming.schemaTable(denotedBy: $0) != nil })
        else { return nil }
        return changes
    }

    /// Returns the commit whose state the list shows; `nil` if it also shows something else.
    private func baseAfterFetch(_ context: ListFetchContext) -> CommitNumber? {
        guard !context.mayWrite, memory.ledger != nil else { return nil }
        guard let coordinator = db.coordinator else {
            return db.snapshotDetectsForeignCommits ? context.commit : nil
        }
        coordinator.prepareLists(db)
        // Changes that are not committed yet may be rolled back.
        return db.transactionMayHaveChanges ? nil : context.commit
    }

    // MARK: - Plans

    /// Returns a machine with the current plan and arguments.
    private func planned() -> ListMachine<Element> {
        let plan = isFollowed ? statements.plan : nil
        let refusal =
            prepared.supplementaryFetch == nil ? statements.refusal : "it prefetches associated rows"
        guard let last else {
            guard isFollowed, let listPlan = statements.listPlan else {
                return ListMachine(notFollowed: refusal, traits: request.traits)
            }
            return ListMachine(plan: listPlan, traits: request.traits)
        }
        var machine = last.machine
        let isSame =
            last.plan == plan && arguments.count == last.arguments.count
            && arguments.indices.allSatisfy { arguments[$0].isIdentical(to: last.arguments[$0]) }
        if !isSame { machine.didChangePlan(isFollowed ? statements.listPlan : nil, notFollowed: refusal) }
        return machine
    }

    // MARK: - Fetching

    private mutating func fetchAll(_ machine: inout ListMachine<Element>, _ reason: FullFetchReason) throws {
        memory.count { $0.fullFetchCounts[reason.text, default: 0] += 1 }
        var rows = machine.rows
        guard let all = statements.all, machine.unfollowedReason == nil else {
            try fetchUnfollowed(into: &rows)
            _ = machine.didFetchAll(rows)
            return
        }
        try all.statement.bind(likeThoseOf: prepared.statement)
        _ = all.statement.storage.takeWork()
        try run(all, into: &rows)
        region = all.statement.boundRegion
        _ = machine.didFetchAll(rows, region: region, cost: all.statement.storage.takeWork())
    }

    private func fetchUnfollowed(into rows: inout FetchedRows<Element>) throws {
        if let fetchMore = prepared.supplementaryFetch {
            let fetched = try Row.fetchAll(prepared.statement, adapter: prepared.adapter)
            try fetchMore(db, fetched)
            for row in fetched { rows.append(try request.decode(row)) }
        } else {
            let cursor = try Row.fetchCursor(prepared.statement, adapter: prepared.adapter)
            while let row = try cursor.next() { rows.append(try request.decode(row)) }
        }
    }

    private mutating func fetchRows(_ rowIDs: [Set<Int64>], _ machine: inout ListMachine<Element>) throws {
        var rows = machine.rows
        var costs = Array(repeating: 0, count: rowIDs.count)
        try db.withoutRecording {
            for (source, rowIDs) in rowIDs.enumerated() where !rowIDs.isEmpty {
                guard let list = statements.rows[source] else { continue }
                let statement = list.statement
                try statement.bind(likeThoseOf: prepared.statement, andOne: true)
                _ = statement.storage.takeWork()
                for rowID in rowIDs {
                    try statement.bindLast(rowID)
                    try run(list, into: &rows)
                }
                costs[source] = statement.storage.takeWork() ?? 0
            }
        }
        let count = rowIDs.reduce(0) { $0 + $1.count }
        memory.count { status in
            status.rowFetchCount += 1
            status.fetchedRowCount += count
        }
        if case .fetchAll(let reason) = machine.didFetch(rows, costs: costs) {
            return try fetchAll(&machine, reason)
        }
        db.record(region)
        try verify(&machine)
    }

    private func run(_ statement: ListStatement, into rows: inout FetchedRows<Element>) throws {
        try statement.run(prepared.adapter) { row, cells in
            rows.append(try request.decode(row), cells: cells)
        }
    }

    // MARK: - Verification

    /// Compares the list with all rows, if the configuration asks for it.
    private mutating func verify(_ machine: inout ListMachine<Element>) throws {
        let interval = db.configuration.listVerificationInterval
        guard interval > 0, memory.status.rowFetchCount.isMultiple(of: interval),
            let plan = statements.listPlan, let all = statements.all
        else { return }
        var rows = machine.rows
        try db.withoutRecording {
            try all.statement.bind(likeThoseOf: prepared.statement)
            try run(all, into: &rows)
        }
        var fetched = ListMachine(plan: plan, traits: request.traits)
        _ = fetched.didFetchAll(rows, region: region)
        guard let list = machine.list, let other = fetched.list, !list.hasSameRows(as: other) else { return }
        memory.count { $0.mismatchCount += 1 }
        machine.didChangePlan(plan)
        _ = machine.didFetchAll(rows, region: region)
    }
}
