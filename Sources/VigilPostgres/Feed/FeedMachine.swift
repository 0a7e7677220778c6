import VigilStorage

/// Decides what a feed reports, and when it looks at the server and opens its stream.
///
/// A look returns the visible commits, as a token: another one than before means that there was a commit.
/// Without a stream, each such look is reported as a change of the whole database.
///
/// With a stream, **a commit is reported when a look sees it, not when it is received**: servers send commits
/// before new snapshots see them, and a fetch in between would miss them. Other changes, of tables without a
/// publication or of other databases, are reported for one table: ``ReportedTables/unreported``. A change of
/// the catalog is reported for the whole database, and so is each loss of the stream or of the session.
///
/// A new stream omits commits of transactions that ended before it began, although some are not visible yet.
/// The number of a transaction begun afterwards is the *fence*: until all transactions before it have ended,
/// all changes are reported for the whole database.
///
/// A value without a clock, threads or I/O. Its driver is ``PostgresCommitFeed``.
struct FeedMachine {
    typealias Instant = ContinuousClock.Instant

    enum Action: Equatable {
        case pace(LookPacing.Step)
        case enter(CommitFeedState)
        case report(Report)
        /// Replace the tables, before the next report.
        case replaceTables(PublishedTables?)
        /// Read the publication, and call ``didRead(_:at:)``.
        case readPublication
        /// Read the version of the catalog, and if it is another one, the publication. Call
        /// ``didCheckCatalog(_:_:taking:at:)``.
        case checkCatalog(known: String)
        /// Open a stream; it is closed first if one is open.
        case openStream(StreamNumber, server: String)
        case closeStream
        /// Use a transaction number, look, and read the version of the catalog, in this order. Call
        /// ``didConfirm(_:fence:_:catalog:at:)``.
        case confirm(StreamNumber)
    }

    enum Report: Equatable {
        case database
        /// Rows of the tables, and any rows of others.
        case tables(Set<TableName>, rows: [ReportedRow] = [])
    }

    typealias StreamNumber = Int

    /// A stream, and what was read before it was opened.
    struct Stream {
        let number: StreamNumber
        let session: Int
        /// The run of the server. Behind a pooler, a look can show another one.
        let server: String
        var tables: PublishedTables
        var catalog: String
        /// The end of what was received.
        var position: UInt64 = 0
        var queue = CommitQueue()
        /// Transactions before this one may have written rows before the last change of the catalog. The
        /// stream contains these as they were, and the regions of observers depend on the current catalog, so
        /// they are not reported one by one. The largest number stands for the end of the next look.
        var rowsBegin: UInt64 = 0

        /// Whether a look belongs to the session and the server of the stream.
        func isOf(_ look: ServerLook) -> Bool {
            look.state.session == session && look.state.server == server
        }

        /// Whether the rows of a commit may have been written before the last change of the catalog.
        func hasEarlierRows(_ commit: StreamedCommit) -> Bool {
            guard rowsBegin > 0, rowsBegin < .max else { return rowsBegin > 0 }
            // The numbers of recent transactions differ by less than 2³¹.
            return Int32(bitPattern: commit.transaction &- UInt32(truncatingIfNeeded: rowsBegin)) < 0
        }
    }

    enum Phase {
        /// There is no stream. The next attempt is made at a time, or with the next look.
        case coarse(retry: Instant?)
        /// The stream is being opened or confirmed. Its commits are collected.
        case opening(Stream)
        /// - Parameter fence: all changes are reported for the whole database until the transactions before
        ///   this one have ended.
        case streaming(Stream, fence: UInt64?)
    }

    /// The shortest time between two checks of the catalog: a check takes 1 ms in a small database.
    static let catalogInterval = Duration.milliseconds(250)
    /// The longest time between them, however long a check takes.
    static let longestCatalogPause = Duration.seconds(5)
    /// How many times longer than a check the time until the next one is. With 1,700 tables, a check takes
    /// 80 ms of the server.
    static let catalogRest = 20
    /// The longest part of the log that the server may keep for the stream.
    static let maximumDelay: UInt64 = 64 << 20

    var pacing = LookPacing()
    var phase = Phase.coarse(retry: nil)
    /// The last look; `nil` after a failure.
    var last: ServerLook.State?
    /// The number of streams opened so far.
    var streamCount = 0
    var streamRetries = Retries.stream
    var publicationRetries = Retries.publication
    var isCatalogDue = false
    var lastCatalogCheck: Instant?
    /// The time between the last check of the catalog and the next one.
    var catalogPause = catalogInterval

    /// - Parameter look: the look before the first commit to report.
    init(_ look: ServerLook.State) { last = look }

    mutating func begin() -> LookPacing.Step { pacing.begin() }

    mutating func pauseDidEnd(_ number: Int) -> LookPacing.Step? { pacing.pauseDidEnd(number) }

    mutating func didCommitHere(at now: Instant) -> LookPacing.Step? { pacing.didCommit(at: now) }

    /// Looks, and then checks the catalog, also without a commit.
    mutating func catalogMayHaveChanged(at now: Instant) -> LookPacing.Step? {
        isCatalogDue = true
        return pacing.didCommit(at: now)
    }

    // MARK: - Looks

    mutating func didLook(_ look: ServerLook, at now: Instant) -> [Action] {
        let moved = look.state != last
        last = look.state
        var actions: [Action] = []
        if let reason = lossReason(look) {
            actions += lose(reason, moved: moved, at: now)
        } else {
            actions += report(look, moved: moved)
        }
        actions += beginReads(at: now)
        return actions + [.pace(pacing.didLook(moved: moved, waits: waits, at: now))]
    }

    /// Handles a failure to look, or to read anything else. Each is a change, because commits may be missed
    /// until the next look.
    mutating func didFail(at now: Instant) -> [Action] {
        last = nil
        return lose(nil, isRestart: stream == nil, moved: true, at: now) + [.pace(pacing.didFail(at: now))]
    }

    /// Returns why the stream cannot continue after a look; `nil` if it can, and without a stream.
    private func lossReason(_ look: ServerLook) -> String?? {
        guard let stream else { return nil }
        guard stream.isOf(look), look.snapshot != nil else { return .some(nil) }
        guard let end = look.position, stream.position > 0, end > stream.position,
            end - stream.position > Self.maximumDelay
        else { return nil }
        return "the stream of changes is too far behind"
    }

    private mutating func report(_ look: ServerLook, moved: Bool) -> [Action] {
        guard case .streaming(var stream, var fence) = phase, let snapshot = look.snapshot else {
            return moved ? [.report(.database)] : []
        }
        let visible = stream.queue.takeVisible(in: snapshot)
        if stream.rowsBegin == .max { stream.rowsBegin = snapshot.xmax }
        if let unknown = visible.unknownBefore { fence = max(fence ?? 0, unknown) }
        isCatalogDue = isCatalogDue || moved
        let isCoarse = fence != nil
        if let ended = fence, snapshot.xmin >= ended { fence = nil }
        phase = .streaming(stream, fence: fence)
        if isCoarse {
            // A look may have seen a commit before it was received.
            return (moved || !visible.isEmpty ? [.report(.database)] : [])
                + (fence == nil ? [.enter(.precise)] : [])
        }
        var names = stream.tables.names(of: visible.relations)
        if moved { names.insert(ReportedTables.unreported) }
        let rows = stream.tables.reports(of: visible.rows, besides: names)
        return names.isEmpty && rows.isEmpty ? [] : [.report(.tables(names, rows: rows))]
    }

    /// Returns the reads of the catalog that are due.
    private mutating func beginReads(at now: Instant) -> [Action] {
        switch phase {
        case .coarse(let retry):
            if let retry, now < retry { return [] }
            return [.readPublication]
        case .opening: return []
        case .streaming(let stream, _):
            guard isCatalogDue, lastCatalogCheck.map({ $0.duration(to: now) >= catalogPause }) ?? true
            else { return [] }
            isCatalogDue = false
            lastCatalogCheck = now
            return [.checkCatalog(known: stream.catalog)]
        }
    }
}
