package import VigilRegions
import VigilStorage

/// Decides how to update a list, and computes its versions from fetched rows.
///
/// For each commit, the driver requests a fetch, runs it, and passes the rows back:
///
/// ```swift
/// switch machine.didRequestFetch(changes) {
/// case .none: break
/// case .rows(let rowIDs): outcome = machine.didFetch(fetch(rowIDs, into: machine.rows))
/// case .all: outcome = machine.didFetchAll(fetchAll(into: machine.rows), region: region)
/// }
/// ```
///
/// It has no lock and no clock. A copy is independent, so observers of equal requests can adopt each other's
/// machine.
package struct ListMachine: Sendable {
    /// The greatest number of changed rows to look up one by one.
    package static var rowLimit: Int { ChangeSet.listRowLimit }
    /// The row limit while the cost of a full fetch is unknown.
    package static var cautiousRowLimit: Int { 1_024 }
    /// The number of changed rows always looked up one by one, however short the list.
    package static var leastRowLimit: Int { 16 }
    /// The cost always accepted for looking up the rows of a source.
    package static var leastCost: Int { 1_000 }
    /// The least cost of looking up one row, in steps of the virtual machine of SQLite.
    static var rowCost: Int { 16 }
    /// The cost per row of a window from which on fetching its rows again is expensive.
    static var expensiveRowCost: Int { 100 }

    /// How the list is followed; `nil` if it is fetched as a whole.
    private var tracking: ListTracking?
    /// The rows of the last version, and those that a window keeps beside them; `nil` if the next fetch must
    /// be a full one.
    private var tree: ListTree?
    /// The window of the list; `nil` if it shows all rows.
    private var window: KeptWindow?
    /// Why the list is not followed row by row; `nil` if it is, or if no rows were fetched.
    package private(set) var unfollowedReason: UnfollowedReason?
    private var encoder: SortKeyEncoder
    private let traits: any ErasedElementTraits
    /// The part of the statement's region in watched tables.
    private var watchedRegion = DatabaseRegion()
    /// The row ids requested from each source by the current fetch.
    private var fetching: [Set<Int64>] = []
    /// The region and the cost of the last full fetch, if known.
    private var region: DatabaseRegion?
    private var fullCost: Int?
    /// The sources watched because of the cost of looking up their rows.
    package private(set) var expensiveSources: [Int] = []
    /// The last version; `nil` before the first fetch.
    package private(set) var version: ListVersion?

    /// Creates a machine for a followed list. It stops following if the first rows contradict the plan.
    package init(_ tracking: ListTracking, traits: any ErasedElementTraits) {
        self.tracking = tracking
        encoder = SortKeyEncoder(
            terms: tracking.shape.terms, roundsLargeIntegers: tracking.roundsLargeIntegers)
        window = tracking.window.map(KeptWindow.init)
        self.traits = traits
    }

    package init(notFollowed reason: String, traits: any ErasedElementTraits) {
        unfollowedReason = .statement(reason)
        encoder = SortKeyEncoder(terms: [])
        self.traits = traits
    }

    package var elementType: any Any.Type { traits.elementType }

    /// An empty list of rows, to append the rows of the next fetch to.
    package var rows: FetchedRows {
        FetchedRows(traits.makeElements(), shape: tracking?.shape, encoder: encoder)
    }

    /// Whether the list shows some of the rows.
    package var isWindow: Bool { window != nil }

    /// The number of rows to fetch if all rows are requested; `nil` without a limit.
    package var fetchCount: Int? { window?.fetchCount }

    // MARK: Requests

    /// Returns the fetch needed after changes.
    ///
    /// - Parameters:
    ///   - changes: all changes since the last fetch, and possibly others; `nil` if they are unknown.
    ///   - linked: the rows that these changes lead to by the ``links``.
    package mutating func didRequestFetch(
        _ changes: ChangeSet?, linked: LinkedRows = LinkedRows()
    ) -> ListFetch {
        let fetch = neededFetch(changes, linked)
        for (link, cost) in linked.costs where isExpensive(cost) { didExceedCost(ofLink: link) }
        if case .rows(let rowIDs) = fetch { fetching = rowIDs }
        return fetch
    }

    private mutating func neededFetch(_ changes: ChangeSet?, _ linked: LinkedRows) -> ListFetch {
        guard version != nil else { return .all(.first) }
        if tracking != nil, tree == nil { return .all(.newPlan) }
        guard let changes, !changes.isWholeDatabase else {
            return .all(unfollowedReason.map { .notFollowed($0) } ?? .unknownChanges)
        }
        if let unfollowedReason { return changes.isEmpty ? .none : .all(.notFollowed(unfollowedReason)) }
        if watchedRegion.isModified(by: changes) { return .all(.watchedTables) }
        return rowFetch(changes, linked)
    }

    private mutating func rowFetch(_ changes: ChangeSet, _ linked: LinkedRows) -> ListFetch {
        guard let tracking, let count = tree?.count else { return .all(.first) }
        if let table = linked.unknownTable { return .all(.unknownRows(table)) }
        var rowIDs = linked.rowIDs
        if rowIDs.isEmpty { rowIDs = Array(repeating: [], count: tracking.shape.sources.count) }
        for source in tracking.followed {
            let table = tracking.shape.sources[source].table
            guard let tableChanges = changes[table] else { continue }
            guard let changed = tableChanges.rowIDs else { return .all(.unknownRows(table)) }
            // Usually one of them is empty, and the other one is not copied.
            rowIDs[source] = rowIDs[source].isEmpty ? changed : rowIDs[source].union(changed)
        }
        let total = rowIDs.reduce(0) { $0 + $1.count }
        if total == 0, !linked.isIncomplete { return .none }
        let limit = fullCost == nil ? Self.cautiousRowLimit : Self.rowLimit
        // Rows behind the bound of a window change too, and its first fetch may have read many rows.
        let part = window == nil ? count / 4 : (costLimit ?? 0) / Self.rowCost
        if linked.isIncomplete || total > min(limit, max(Self.leastRowLimit, part)) {
            return .all(.manyRows(total))
        }
        return .rows(rowIDs)
    }

    /// The greatest cost of looking up rows before a full fetch is better; `nil` if unknown.
    package var costLimit: Int? { fullCost.map { max(Self.leastCost, $0 / 2) } }

    // MARK: Results

    /// Replaces the requested rows by the found ones.
    ///
    /// - Parameter costs: for each source, the cost of looking up its rows, in the unit of full fetches; see
    ///   ``didLookUp(_:of:cost:)``. Empty if no cost is above ``leastCost``.
    package mutating func didFetch(_ rows: consuming FetchedRows, costs: [Int] = []) -> ListOutcome {
        guard tree != nil else { return .fetchAll(.first) }
        encoder = rows.encoder
        if let failure = rows.failure {
            stopFollowing(.sortKey(failure))
            return .fetchAll(.notFollowed(.sortKey(failure)))
        }
        let isChanged = replaceRequestedRow(by: rows) ?? replaceRequested(by: rows)
        for (source, cost) in costs.enumerated() {
            didLookUp(fetching[source].count, of: source, cost: cost)
        }
        fetching = []
        return isChanged ? didReplace() : .unchanged
    }

    /// Shows the rows of the changed tree, unless a window needs more of them.
    private mutating func didReplace() -> ListOutcome {
        if let window, let count = tree?.count {
            if window.isShort(count) {
                if isFetchingExpensive { self.window?.grow() }
                return .fetchAll(.shortWindow)
            }
            if let kept = window.cut(count) {
                // The bound of the region moves with the fetch.
                if fullCost != nil, !isFetchingExpensive { return .fetchAll(.longWindow) }
                cutWindow(to: kept)
            }
        }
        return show()
    }

    private var isFetchingExpensive: Bool {
        guard let fullCost, let rowCount = fetchCount else { return false }
        return fullCost / Self.expensiveRowCost > rowCount
    }

    /// Removes the last kept rows.
    private mutating func cutWindow(to count: Int) {
        guard var tree else { return }
        let keys = tree.keys
        let cut = keys.selecting(Array(count..<keys.count))
        _ = tree.replace(
            cut, with: KeyList(), elementIndices: nil, elements: traits.makeElements(), stamp: nextStamp())
        self.tree = tree
        window?.didKeep(keys.selecting(Array(0..<count)))
    }

    /// Replaces all rows. The list is followed if their order is understood. Otherwise, the rows of a window
    /// are fetched again, without those beside it.
    ///
    /// - Parameters:
    ///   - rows: the rows, as returned by the database: the first ``fetchCount`` ones of a window.
    ///   - region: the region of the statement; `nil` if it is unknown.
    ///   - cost: the cost of the fetch, in any unit.
    package mutating func didFetchAll(
        _ rows: consuming FetchedRows, region: DatabaseRegion? = nil, cost: Int? = nil
    ) -> ListOutcome {
        self.region = region
        fullCost = cost
        fetching = []
        encoder = rows.encoder
        if let failure = rows.failure { return stopFollowing(.sortKey(failure), rows.elements) }
        guard let tracking else { return replaceAll(rows.elements) }
        do throws(UnfollowedReason) {
            let order = try rows.listOrder()
            // Rows with equal values were fetched in the order of their row ids.
            if window != nil, let order { throw .order(row: order.indices.first { order[$0] != $0 } ?? 0) }
            watchedRegion = tracking.watchedRegion(in: region)
            // Equal rows keep their nodes, even if the statement was planned again.
            let last = (tree ?? version?.tree).flatMap { $0.shape == tracking.shape ? $0 : nil }
            let base = last ?? ListTree(shape: tracking.shape)
            tree = base
            let keys = order.map(rows.keys.selecting) ?? rows.keys
            window?.didKeep(keys)
            let isChanged = replace(base.keys, with: keys, order: order, elements: rows.elements)
            let isShown = last != nil && window == nil && version?.root === tree?.root
            return isChanged || !isShown ? show() : .unchanged
        } catch {
            return stopFollowing(error, rows.elements)
        }
    }

    /// Stops following a window. Its request may succeed without the rows beside it.
    package mutating func didFailToFetchWindow() { stopFollowing(.failedWindow) }

    private mutating func stopFollowing(
        _ reason: UnfollowedReason, _ elements: any FetchedElements
    ) -> ListOutcome {
        let isWindow = window != nil
        stopFollowing(reason)
        return isWindow ? .fetchAll(.notFollowed(reason)) : replaceAll(elements)
    }

    private mutating func stopFollowing(_ reason: UnfollowedReason) {
        tracking = nil
        tree = nil
        window = nil
        unfollowedReason = reason
    }

    /// Replaces the only requested row of a list of one table, if it keeps its place; `nil` if this shortcut
    /// does not apply. Returns whether it changed.
    ///
    /// A row is in such a list at most once, so the new key finds its entry without an index.
    private mutating func replaceRequestedRow(by rows: borrowing FetchedRows) -> Bool? {
        guard fetching.count == 1, fetching[0].count == 1, rows.count == 1,
            let rowID = fetching[0].first, let shape = tracking?.shape,
            rows.withKeys({ shape.rowID(of: 0, in: $0[0]) == rowID })
        else { return nil }
        return replaceElement(by: rows)
    }

    /// Replaces the element at the key of the only row; `nil` if the list has no such key.
    private mutating func replaceElement(by rows: borrowing FetchedRows) -> Bool? {
        let elements = rows.elements
        return rows.withKeys { tree?.replaceElement(of: $0[0], by: elements, stamp: nextStamp()) }
    }

    /// Replaces all requested rows. Returns whether any of them changed.
    private mutating func replaceRequested(by rows: borrowing FetchedRows) -> Bool {
        var keys = rows.keys
        var order = keys.ascendingIndices()
        if let order { keys = keys.selecting(order) }
        if let count = window?.count(of: keys), count < keys.count {
            keys = keys.selecting(Array(0..<count))
            order = order.map { Array($0.prefix(count)) } ?? Array(0..<count)
        }
        let old = requestedKeys(keys)
        let isSameKey =
            old.count == 1 && keys.count == 1 && rows.count == 1
            && old.withKey(at: 0) { key in keys.withKey(at: 0) { compareBytes($0, key) == 0 } }
        if isSameKey, let isChanged = replaceElement(by: rows) { return isChanged }
        return replace(old, with: keys, order: order, elements: rows.elements)
    }

    /// Returns the keys of all entries with the requested row ids, in ascending order.
    ///
    /// - Parameter new: the ascending keys of the found rows.
    private mutating func requestedKeys(_ new: KeyList) -> KeyList {
        var old = KeyList()
        old.reserveCapacity(max(4, new.count), bytes: max(128, new.bytes.count))
        var rest = fetching
        if rest.count == 1 { tree?.appendKept(new, rowIDs: &rest[0], to: &old) }
        for (source, rowIDs) in rest.enumerated() where !rowIDs.isEmpty {
            tree?.prepareIndex(of: source)
            for rowID in rowIDs { tree?.appendKeys(rowID: rowID, source: source, to: &old) }
        }
        if let indices = old.ascendingIndices() { old = old.selecting(indices) }
        return old
    }

    /// Replaces entries by new ones with ascending keys. Returns whether anything changed.
    ///
    /// - Parameter order: the index of the element of each new key; `nil` if they have the same indices.
    private mutating func replace(
        _ old: KeyList, with keys: KeyList, order: [Int]?, elements: any FetchedElements
    ) -> Bool {
        tree?.replace(old, with: keys, elementIndices: order, elements: elements, stamp: nextStamp()) ?? false
    }

    /// Returns a version with the rows of the tree, or with those that its window shows.
    private mutating func show() -> ListOutcome {
        guard let tree else { return .unchanged }
        var root = tree.root
        if let window {
            root = root?.slice(window.shown(of: tree.count), traits.makeElements())
            if let version, version.tree?.shape == tree.shape,
                ListNode.haveSameEntries(version.root, root)
            {
                return .unchanged
            }
        }
        let version = ListVersion(tree, showing: root, traits)
        self.version = version
        return .list(version)
    }

    /// Replaces all rows of a list without a plan.
    private mutating func replaceAll(_ elements: any FetchedElements) -> ListOutcome {
        if let version, version.tree == nil, elements.elementsEqual(version.root) { return .unchanged }
        let version = ListVersion(elements, traits)
        self.version = version
        return .list(version)
    }

    // MARK: Other events

    /// Watches a source from now on if looking up a few of its rows costs more than a quarter of a full
    /// fetch. For a window, which is fetched at little cost, the cost of one row decides.
    ///
    /// - Parameter count: the number of rows looked up. Above ``leastRowLimit``, the cost is scaled down to
    ///   this number of rows.
    package mutating func didLookUp(_ count: Int, of source: Int, cost: Int) {
        let limit = window == nil ? Self.leastRowLimit : 1
        let few = count > limit ? cost * limit / count : cost
        if isExpensive(few) { didExceedCost(of: source) }
    }

    private func isExpensive(_ cost: Int) -> Bool {
        fullCost.map { cost > Self.leastCost && cost > $0 / 4 } ?? false
    }

    /// The numbers of the links that lead to followed rows.
    package var links: [Int] { tracking?.links.map(\.number) ?? [] }

    /// Watches the table of a link from now on.
    private mutating func didExceedCost(ofLink number: Int) { watchLinks { $0.number == number } }

    private mutating func watchLinks(where isWatched: (ListTracking.Link) -> Bool) {
        guard var tracking else { return }
        tracking.watched += tracking.links.filter(isWatched).map(\.table)
        tracking.links.removeAll(where: isWatched)
        watchedRegion = tracking.watchedRegion(in: region)
        self.tracking = tracking
    }

    /// Watches a source: from now on, its changes lead to full fetches.
    package mutating func didExceedCost(of source: Int) {
        guard var tracking, tracking.followed.contains(source) else { return }
        tracking.followed.removeAll { $0 == source }
        tracking.watched.append(tracking.shape.sources[source].table)
        tree?.dropIndex(of: source)
        expensiveSources.append(source)
        self.tracking = tracking
        // Their rows are looked up in this source, too.
        watchLinks { $0.source == source }
    }

    /// Replaces the plan after a change of the schema, a function or a collation. A full fetch follows.
    package mutating func didChangePlan(_ tracking: ListTracking?, notFollowed reason: String = "") {
        expensiveSources = []
        fetching = []
        self.tracking = tracking
        window = tracking?.window.map(KeptWindow.init)
        tree = nil
        unfollowedReason = tracking == nil ? .statement(reason) : nil
        encoder = SortKeyEncoder(
            terms: tracking?.shape.terms ?? [], roundsLargeIntegers: tracking?.roundsLargeIntegers ?? false)
    }
}
