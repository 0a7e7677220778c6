import Dispatch
import Synchronization
import VigilStorage

enum FeedChecks {
    static let all: [BackendContract.Check] = [
        .init(
            "feedReportsCommits", promise: "The feed reports the commits of each connection.",
            feedReportsCommits),
        .init(
            "feedCommitIsVisible", promise: "A commit is reported when every new snapshot contains it.",
            feedCommitIsVisible),
        .init(
            "feedKeepsCommitsTogether",
            promise: "The changes of a commit are reported before its end, and only once.",
            feedKeepsCommitsTogether),
        .init(
            "feedIgnoresRollbacks",
            promise: "Changes that were rolled back are not reported as changes of rows.",
            feedIgnoresRollbacks),
        .init(
            "cancelledFeedIsSilent", promise: "After cancel(), no further report begins.",
            cancelledFeedIsSilent),
    ]

    private static func feed(
        of location: StorageLocation, _ fixture: ContractFixture, to receiver: any CommitFeedReceiver
    ) throws -> any StorageCommitFeed {
        let feed = try (fixture.backend as? any CommitFeeding)?
            .commitFeed(of: location, options: StorageOptions(), to: receiver)
        guard let feed else { throw NotApplicable(reason: "the backend has no feed of commits") }
        return feed
    }

    private static func feedReportsCommits(_ fixture: ContractFixture) throws {
        let (location, a, b) = try fixture.sharedPair()
        let receiver = FeedRecorder()
        let feed = try feed(of: location, fixture, to: receiver)
        defer { feed.cancel() }
        for (index, sql) in [
            "INSERT INTO player VALUES (7, 'a', 0)", "UPDATE player SET score = 1 WHERE id = 7",
            "DELETE FROM player WHERE id = 7",
        ].enumerated() {
            receiver.forget()
            try (index == 1 ? b : a).execute(sql)
            try expectTrue(receiver.awaitReport(of: 7, until: fixture.deadline), "the feed reports \(sql)")
        }
        receiver.forget()
        try a.execute("INSERT INTO player VALUES (7, 'a', 0)")
        try b.execute("UPDATE player SET id = 8 WHERE id = 7")
        try expectTrue(
            receiver.awaitReport(of: 8, until: fixture.deadline), "the feed reports the new key of a row")
    }

    private static func feedCommitIsVisible(_ fixture: ContractFixture) throws {
        let (location, writer, _) = try fixture.sharedPair()
        let reader = try SharedConnection(fixture.backend, location)
        defer { reader.close() }
        let counts = ContractLog<Int64>()
        let receiver = FeedRecorder { try? reader.use { counts.append((try? $0.playerIDs().last) ?? -1) } }
        let feed = try feed(of: location, fixture, to: receiver)
        defer { feed.cancel() }
        for id in 1...4 {
            receiver.forget()
            try writer.insertPlayer(id)
            // A report without row ids may be due to another transaction on the server.
            let isReported = receiver.awaitReport(of: id, until: fixture.deadline) {
                counts.elements.last == Int64(id)
            }
            try expectTrue(isReported, "the feed reports commit \(id) when it is visible")
            try expectEqual(counts.elements.last, Int64(id), "the last row when its commit is reported")
        }
    }

    private static func feedKeepsCommitsTogether(_ fixture: ContractFixture) throws {
        let (location, writer, _) = try fixture.sharedPair()
        let receiver = FeedRecorder()
        let feed = try feed(of: location, fixture, to: receiver)
        defer { feed.cancel() }
        receiver.forget()
        try writer.begin(.beginImmediate)
        try writer.insertPlayer(1)
        try writer.insertPlayer(2)
        try writer.storage.perform(.commit)
        try expectTrue(receiver.awaitReport(of: 2, until: fixture.deadline), "the feed reports the commit")
        let commits = receiver.commits
        // Commits of others may be reported coarsely in between.
        let count = commits.count { $0.names(1) && !$0.isCoarse }
        try expect(count <= 1, "the number of commits with the first row", expected: "1", actual: "\(count)")
        try expectEqual(
            commits.firstIndex { $0.covers(1) }, commits.firstIndex { $0.covers(2) },
            "the commit of the second row")
    }

    private static func feedIgnoresRollbacks(_ fixture: ContractFixture) throws {
        let (location, writer, _) = try fixture.sharedPair()
        let receiver = FeedRecorder()
        let feed = try feed(of: location, fixture, to: receiver)
        defer { feed.cancel() }
        receiver.forget()
        try writer.begin(.beginImmediate)
        try writer.insertPlayer(1)
        try writer.storage.perform(.rollback)
        try writer.begin(.beginImmediate)
        try writer.storage.perform(.savepoint("a"))
        try writer.insertPlayer(2)
        try writer.storage.perform(.rollbackTo("a"))
        try writer.insertPlayer(3)
        try writer.storage.perform(.commit)
        try expectTrue(receiver.awaitReport(of: 3, until: fixture.deadline), "the feed reports the commit")
        for id in 1...2 {
            let isReported = receiver.commits.contains { $0.names(id) }
            try expectTrue(!isReported, "row \(id), which was rolled back, is not reported")
        }
    }

    private static func cancelledFeedIsSilent(_ fixture: ContractFixture) throws {
        let (location, writer, _) = try fixture.sharedPair()
        let cancelled = FeedRecorder()
        let receiver = FeedRecorder()
        let first = try feed(of: location, fixture, to: cancelled)
        let other = try feed(of: location, fixture, to: receiver)
        first.cancel()
        first.cancel()
        let before = cancelled.commits.count
        for id in 1...4 {
            receiver.forget()
            try writer.insertPlayer(id)
            try expectTrue(
                receiver.awaitReport(of: id, until: fixture.deadline), "the feed reports commit \(id)")
        }
        let count = cancelled.commits.count - before
        withExtendedLifetime(first) { other.cancel() }
        // A report that begins before the feed is cancelled may end afterwards.
        try expect(count <= 1, "the number of commits after cancel()", expected: "none", actual: "\(count)")
    }
}

extension ContractFixture {
    /// Opens two connections to a new database with a table of players.
    fileprivate func sharedPair() throws -> (StorageLocation, ContractConnection, ContractConnection) {
        let location = location()
        let first = try open(location) { $0.journalMode = .wal }
        try first.createPlayers(count: 0)
        return (location, first, try open(location) { $0.journalMode = .wal })
    }
}

/// Records the commits of a feed.
private final class FeedRecorder: CommitFeedReceiver {
    struct Commit: Sendable {
        var rows: Set<Int64> = []
        var isCoarse = false

        /// Whether a change may be that of the player.
        func covers(_ id: Int) -> Bool { isCoarse || names(id) }

        /// Whether a change names the player.
        func names(_ id: Int) -> Bool { rows.contains(Int64(id)) }

        mutating func add(_ key: RowKey?) {
            switch key {
            case .integer(let id): rows.insert(id)
            case .values, .unknown: isCoarse = true
            case nil: break
            }
        }
    }

    private struct State {
        var open = Commit()
        var commits: [Commit] = []
    }

    private let state = Mutex(State())
    /// Signalled at the end of each commit. Checks run outside of tasks, so they may block their thread.
    private let news = DispatchSemaphore(value: 0)
    private let onCommit: @Sendable () -> Void

    init(onCommit: @escaping @Sendable () -> Void = {}) { self.onCommit = onCommit }

    var commits: [Commit] { state.withLock { $0.commits } }

    /// Forgets the commits so far. The changes of an open commit remain.
    func forget() { state.withLock { $0.commits = [] } }

    /// Waits for the end of a commit that may have changed the player. Returns whether it came in time.
    ///
    /// - Parameter isCovered: whether a commit without row ids may have done so.
    func awaitReport(
        of id: Int, until end: DispatchTime, isCovered: () -> Bool = { true }
    ) -> Bool {
        while !commits.contains(where: { $0.names(id) || $0.isCoarse && isCovered() }) {
            guard news.wait(timeout: end) == .success else { return false }
        }
        return true
    }

    func didChange(_ event: ChangeEvent) {
        state.withLock { state in
            switch event {
            case .row(let row) where row.table.name.isSameName(as: ContractConnection.player.name):
                state.open.add(row.oldKey)
                state.open.add(row.newKey)
            case .row: break
            case .table, .database: state.open.isCoarse = true
            }
        }
    }

    func didCommit() {
        onCommit()
        state.withLock { state in
            state.commits.append(state.open)
            state.open = Commit()
        }
        news.signal()
    }

    func stateDidChange(_ state: CommitFeedState) {}
}
