import VigilLists
import VigilRegions
import VigilStorage

/// The results that a fetch of an observation may take from memory, instead of running statements.
final class LiveFetch {
    /// A result that an observation uses.
    struct Use: Sendable {
        let result: LiveResult
        /// The commit whose state the result had in the observation's last fetch; `nil` if it is unknown.
        let base: CommitNumber?
        /// The ``LiveResult/bound`` in the region of that fetch.
        var bound = 0
    }

    /// The cost always accepted for looking up rows, in steps of the virtual machine.
    static let leastCost = 2_000
    /// The greatest number of rows of a kept result.
    static let rowLimit = 1_024
    /// The number of changed rows always looked up one by one.
    static let leastRowLimit = 16

    let ledger: CommitLedger
    /// The last commit that the snapshot is known to contain.
    let commit: CommitNumber
    /// The commits since the last fetch that did not modify the region of the observation.
    let base: ListBase
    /// The results that the last fetch has used.
    let last: [Use]
    /// Whether this is the first fetch of the observation. It runs its statements: with other ones, it shows
    /// commits of other connections that were not noticed yet.
    let isInitial: Bool
    /// The results that this fetch uses.
    private(set) var uses: [Use] = []
    /// The last known changes, and the commit before them. Most results have the same ones.
    ///
    /// Not used on readers: other fetches may update results to later commits in the meantime.
    private var known: (base: CommitNumber, changes: ChangeSet?)?
    /// Whether ``canUpdate(_:)`` was found to be true. Not used on readers either.
    private var knowsCommitsOfOthers = false

    init(ledger: CommitLedger, commit: CommitNumber, base: ListBase, last: [Use], isInitial: Bool) {
        (self.ledger, self.commit, self.base, self.last) = (ledger, commit, base, last)
        self.isInitial = isInitial
    }

    func use(_ result: LiveResult, base: CommitNumber?, bound: Int = 0) {
        if let index = uses.firstIndex(where: { $0.result === result }) { uses.remove(at: index) }
        uses.append(Use(result: result, base: base, bound: bound))
    }

    /// Returns the result of a statement, if it has one.
    func find(_ sql: String, _ arguments: BoundArguments) -> LiveResult? {
        // Most fetches run the statements of the last one, in the same order.
        if uses.count < last.count {
            let next = last[uses.count].result
            if ExactString(next.sql) == ExactString(sql), arguments.isIdentical(to: next.arguments) {
                return next
            }
        }
        return ledger.liveResults.find(sql, arguments)
    }

    /// Returns whether results can be updated in the snapshot of this fetch. See
    /// ``Database/knowsCommitsOfOthers(_:)``.
    func canUpdate(_ db: Database) -> Bool {
        if knowsCommitsOfOthers { return true }
        let knowsAll = db.knowsCommitsOfOthers(ledger)
        knowsCommitsOfOthers = knowsAll && db.coordinator != nil
        return knowsAll
    }

    /// Returns the changes since a result was updated, and possibly others; `nil` if they are not known.
    ///
    /// - Parameter isBounded: whether the region of the observation does not contain all rows that matter to
    ///   the result.
    func changes(since base: CommitNumber, of result: LiveResult, isBounded: Bool, _ db: Database)
        -> ChangeSet?
    {
        var first = base
        if !isBounded, let use = last.first(where: { $0.result === result }), let seen = use.base,
            seen <= first
        {
            first = ledger.base(of: self.base, after: first)
        }
        first = min(first, commit)
        if let known, known.base == first { return known.changes }
        var changes = ledger.changes(after: first)
        if let found = changes,
            found.isWholeDatabase
                || found.contains(where: { db.schemaNaming.schemaTable(denotedBy: $0) != nil })
        {
            changes = nil
        }
        if db.coordinator != nil { known = (first, changes) }
        return changes
    }

    /// Returns the commit whose state a result has after this fetch; `nil` if it has something else, too.
    func baseAfterFetch(_ db: Database) -> CommitNumber? {
        guard let coordinator = db.coordinator else {
            return db.fetchContext?.detectsForeignCommits == true ? commit : nil
        }
        coordinator.prepareLists(db)
        // Changes that are not committed yet may be rolled back.
        return db.transactionMayHaveChanges ? nil : commit
    }
}

/// Updates the result of a statement, or begins to keep it.
struct LiveUpdate {
    let statement: Statement
    let result: LiveResult
    let fetch: LiveFetch
    let query: LiveQuery

    var db: Database { statement.database }

    struct Failure: Error {
        let reason: String
    }

    /// The rows to return without running the statement, and the state that they have.
    struct Outcome {
        /// The rows; `nil` if the statement must run.
        var rows: [Row]?
        /// The commit of the result; `nil` if it is not kept.
        var base: CommitNumber?
        /// The ``LiveResult/bound`` of a list.
        var bound = 0
    }

    static let changedMeaning = "the schema or a function changed"

    // MARK: - Updates

    /// Updates the result.
    ///
    /// - Throws: an error that ended the snapshot: the statement would read another one.
    func update(_ kept: consuming LiveResult.Kept) throws -> Outcome? {
        var kept = kept
        let update = try attempt { try db.withoutRecording { try updated(&kept) } }
        guard let update else { return nil }
        let base = kept.base
        result.didFetch(kept, rowCount: update.rowCount, isUnknown: update.rows == nil)
        return Outcome(rows: update.rows, base: base)
    }

    /// Returns the value of `body`; `nil` if it failed, and the result is not kept.
    ///
    /// - Throws: an error that ended the snapshot: the statement would read another one. Otherwise, the
    ///   statement itself decides whether it fails.
    func attempt<Value: ~Copyable>(_ body: () throws -> Value) throws -> Value? {
        let wasInSnapshot = db.isInsideTransaction
        do {
            return try body()
        } catch let failure as Failure {
            result.didFail(failure.reason)
        } catch let failure as GroupFailure {
            result.didFail(failure.text)
        } catch {
            result.didFail("the changed rows could not be fetched alone")
            if !db.canContinueFetch(after: error, wasInSnapshot: wasInSnapshot) { throw error }
        }
        return nil
    }

    /// - Returns: the rows, unless they are unknown, and the number of rows that were looked up.
    private func updated(_ kept: inout LiveResult.Kept) throws -> (rows: [Row]?, rowCount: Int) {
        guard let shape = query.shape, shape == kept.machine.shape,
            kept.functionRevision == db.functionRevision
        else { throw Failure(reason: Self.changedMeaning) }
        guard
            let changes = fetch.changes(
                since: kept.base, of: result, isBounded: statement.run.bound != nil, db),
            let base = fetch.baseAfterFetch(db)
        else { throw Failure(reason: "unknown changes") }
        // If the fetch has one result, the changes have usually caused it.
        let mayHaveChanged = fetch.last.count < 2 || mayModify(changes)
        let rowIDs = mayHaveChanged ? try changedRows(changes, kept) : []
        let count = rowIDs.reduce(0) { $0 + $1.count }
        if count > 0 {
            let arguments = statement.bound.values
            guard
                let rows = try query.fetch(
                    rowIDs, arguments, costLimit: max(LiveFetch.leastCost, kept.cost),
                    into: kept.machine.makeContributions())
            else { throw Failure(reason: "many rows") }
            try kept.machine.replace(rowIDs, by: rows)
            try kept.machine.settle { try query.evaluate($0, arguments, into: &$1) }
        }
        kept.base = base
        let isUnknown = kept.machine.unknownCount > 0
        if !isUnknown { try show(kept.machine, in: &kept.rows) }
        let rows = isUnknown ? nil : kept.rows.rows
        guard fits(kept) else { throw Failure(reason: Self.manyContributions) }
        return (rows, count)
    }

    /// Returns whether changes may affect the result, or the row ids of its contributions: a moved row
    /// modifies any region without conditions.
    private func mayModify(_ changes: ChangeSet) -> Bool {
        statement.unconditionalRegion(endsEarly: false).isModified(by: changes)
    }

    /// Returns the changed rows of each source.
    private func changedRows(
        _ changes: ChangeSet, _ kept: borrowing LiveResult.Kept
    ) throws -> [Set<Int64>] {
        let shape = kept.machine.shape
        let linked = try query.linkedRows(changes, costLimit: max(LiveFetch.leastCost, kept.cost))
        if let table = linked.unknownTable { throw Failure(reason: "unknown rows of \(table)") }
        var rowIDs = linked.rowIDs.isEmpty ? shape.noRowIDs : linked.rowIDs
        for index in shape.followed {
            let table = shape.sources[index].table
            guard let changed = changes.rowIDs(of: table) else {
                throw Failure(reason: "unknown rows of \(table)")
            }
            rowIDs[index] = rowIDs[index].isEmpty ? changed : rowIDs[index].union(changed)
        }
        let total = rowIDs.reduce(0) { $0 + $1.count }
        let limit = max(LiveFetch.leastRowLimit, kept.machine.count / 4)
        guard !linked.isIncomplete, total <= min(limit, ListMachine.rowLimit) else {
            throw Failure(reason: "many rows")
        }
        return rowIDs
    }

    // MARK: - The first contributions

    static let manyRows = "the result has many rows"
    static let manyContributions = "too many rows for Configuration.liveResultMemory"

    /// The memory that the result may use.
    var byteLimit: Int {
        let results = fetch.ledger.liveResults
        return db.configuration.liveResultMemory - results.byteCount + result.statistics.byteCount
    }

    private func fits(_ kept: borrowing LiveResult.Kept) -> Bool { kept.byteCount <= byteLimit }

    /// Begins to keep the result.
    ///
    /// - Parameters:
    ///   - rows: the rows that the statement has returned in this snapshot. The machine must compute the same
    ///     ones.
    ///   - cost: the cost of the statement.
    func build(comparing rows: [Row], cost: Int) throws -> Outcome? {
        let kept = try attempt {
            try db.withoutRecording { try built(comparing: rows, cost: cost) }
        }
        guard let kept else { return nil }
        let base = kept.base
        result.didFetch(kept, rowCount: nil)
        return Outcome(rows: rows, base: base)
    }

    private func built(comparing rows: [Row], cost: Int) throws -> LiveResult.Kept {
        guard let shape = query.shape else { throw Failure(reason: "it has no plan") }
        guard let base = fetch.baseAfterFetch(db) else { throw Failure(reason: "unknown changes") }
        if let links = query.links { result.keepValues(of: links.columns) }
        var machine = GroupMachine(shape)
        let arguments = statement.bound.values
        guard
            let contributions = try query.fetchAll(
                arguments, into: machine.makeContributions(), byteLimit: byteLimit)
        else { throw Failure(reason: Self.manyContributions) }
        try machine.fill(contributions)
        try machine.settle { try query.evaluate($0, arguments, into: &$1) }
        guard machine.unknownCount == 0 else { throw Failure(reason: LiveResult.unknown) }
        var shown = ShownRows()
        try show(machine, in: &shown)
        guard shown.rows.isIdentical(to: rows) else { throw Failure(reason: "the result was not understood") }
        let kept = LiveResult.Kept(
            machine: machine, rows: shown, base: base, functionRevision: db.functionRevision, cost: cost)
        guard fits(kept) else { throw Failure(reason: Self.manyContributions) }
        return kept
    }

    // MARK: - Rows

    /// Brings the shown rows up to date.
    ///
    /// - Throws: `Failure` if there are many, or if LIMIT or OFFSET is not an integer.
    private func show(_ machine: GroupMachine, in rows: inout ShownRows) throws {
        let shape = machine.shape
        guard let limit = integer(shape.limit, otherwise: -1),
            let offset = integer(shape.offset, otherwise: 0),
            shape.outputCount == statement.storage.row.count
        else { throw Failure(reason: Self.manyRows) }
        let first = Int(clamping: max(0, offset))
        let count = min(limit < 0 ? Int.max : Int(clamping: limit), max(0, machine.rowCount - first))
        guard count <= LiveFetch.rowLimit else { throw Failure(reason: Self.manyRows) }
        rows.begin(statement.layout)
        machine.forEachRow(offset: first, limit: count) { rows.add($0) }
        rows.end()
    }

    private func integer(_ operand: RowConditionTemplate.Operand?, otherwise: Int64) -> Int64? {
        guard let operand else { return otherwise }
        return try? WindowRange.integer(operand) { statement.boundValue(at: $0) }
    }
}

extension Database {
    /// Returns whether a fetch can run other statements after the error of an optional one. If the error has
    /// ended the snapshot, they would read another one.
    func canContinueFetch(after error: any Error, wasInSnapshot: Bool) -> Bool {
        !wasInSnapshot || isInsideTransaction && !(error is CancellationError)
    }
}

extension GroupFailure {
    fileprivate var text: String {
        switch self {
        case .differentValues: "it returns columns that differ within a group"
        case .repeatedRow: UnfollowedReason.repeatedRow.text
        case .invalidText: "an expression has text that is not UTF-8"
        case .sortKey(let failure): UnfollowedReason.sortKey(failure).text
        }
    }
}
