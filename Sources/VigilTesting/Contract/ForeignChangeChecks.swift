import Dispatch
import VigilStorage

/// Checks how a connection detects that another one has committed.
enum ForeignChangeChecks {
    static let all: [BackendContract.Check] = [
        .init(
            "tokenDetectsForeignCommits", promise: "The token changes when another connection commits.",
            tokenDetectsForeignCommits),
        .init(
            "tokenIgnoresOwnCommits",
            promise:
                "The connection's own commits, if it reports them, and rollbacks of others do not change the token.",
            tokenIgnoresOwnCommits),
        .init("hintArrives", promise: "A watch gives a hint after another connection's commit.", hintArrives),
        .init(
            "cancelledWatchIsSilent", promise: "After cancel(), no further hint begins.",
            cancelledWatchIsSilent),
    ]

    private static func token(_ connection: ContractConnection) throws -> Int64 {
        try expectValue(try connection.storage.foreignChangeToken(), "the token")
    }

    private static func tokenDetectsForeignCommits(_ fixture: ContractFixture) throws {
        let (a, b) = try fixture.pair()
        try fixture.require(
            a.storage.capabilities.hasForeignChangeToken, "the backend has no foreign change token")
        var last = try token(a)
        for sql in [
            "INSERT INTO player VALUES (1, 'a', 0)", "UPDATE player SET score = 1", "DELETE FROM player",
            "CREATE TABLE other(a INTEGER)",
        ] {
            try b.execute(sql)
            let next = try token(a)
            try expect(
                next != last, "the token after \(sql)", expected: "another number", actual: "\(next)")
            try expectEqual(try token(a), next, "the token when it is read again")
            last = next
        }
    }

    private static func tokenIgnoresOwnCommits(_ fixture: ContractFixture) throws {
        let (a, b) = try fixture.pair()
        try fixture.require(
            a.storage.capabilities.hasForeignChangeToken, "the backend has no foreign change token")
        let first = try token(a)
        try a.insertPlayer(1)
        guard a.storage.capabilities.reportsOwnChanges else {
            return try expectTrue(try token(a) != first, "the connection's own commit changes the token")
        }
        try expectEqual(try token(a), first, "the token after the connection's own commit")
        try b.begin(.beginImmediate)
        try b.insertPlayer(2)
        try expectEqual(try token(a), first, "the token before the other connection commits")
        try b.storage.perform(.rollback)
        try expectEqual(try token(a), first, "the token after the other connection's rollback")
        _ = try b.playerIDs()
        try expectEqual(try token(a), first, "the token after the other connection's read")
    }

    private static func watch(
        _ location: StorageLocation, _ fixture: ContractFixture, onHint: @escaping @Sendable () -> Void
    ) throws -> any StorageWatch {
        guard let watch = try fixture.backend.watchForeignChanges(of: location, onHint: onHint) else {
            throw NotApplicable(reason: "the backend does not watch the database")
        }
        return watch
    }

    /// Waits for a hint, and returns whether it arrived in time.
    private static func awaitHint(_ hint: DispatchSemaphore, _ fixture: ContractFixture) -> Bool {
        hint.wait(timeout: fixture.deadline) == .success
    }

    private static func hintArrives(_ fixture: ContractFixture) throws {
        let location = fixture.location()
        let writer = try fixture.open(location) { $0.journalMode = .wal }
        try writer.createPlayers(count: 0)
        let hints = DispatchSemaphore(value: 0)
        let watch = try watch(location, fixture) { hints.signal() }
        for id in 1...2 {
            try writer.insertPlayer(id)
            try expectTrue(awaitHint(hints, fixture), "a hint arrives after commit \(id)")
        }
        watch.cancel()
    }

    /// A hint that begins before the watch is cancelled may arrive afterwards. No other hint may.
    private static func cancelledWatchIsSilent(_ fixture: ContractFixture) throws {
        let location = fixture.location()
        let writer = try fixture.open(location) { $0.journalMode = .wal }
        try writer.createPlayers(count: 0)
        let log = ContractLog<Bool>()
        let cancelled = try watch(location, fixture) { log.append(true) }
        let hints = DispatchSemaphore(value: 0)
        let other = try watch(location, fixture) { hints.signal() }
        cancelled.cancel()
        cancelled.cancel()
        let before = log.elements.count
        for id in 1...4 {
            try writer.insertPlayer(id)
            try expectTrue(awaitHint(hints, fixture), "a hint arrives after commit \(id)")
        }
        let count = log.elements.count - before
        other.cancel()
        try expect(count <= 1, "the number of hints after cancel()", expected: "none", actual: "\(count)")
    }
}
