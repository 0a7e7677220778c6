import VigilStorage

/// Checks what a connection reads and writes while another one has an open transaction.
enum IsolationChecks {
    static let all: [BackendContract.Check] = [
        .init(
            "committedChangesAreSeen", promise: "A connection reads the commits of other connections.",
            committedChangesAreSeen),
        .init(
            "uncommittedChangesAreInvisible",
            promise: "A connection does not read uncommitted changes of other connections.",
            uncommittedChangesAreInvisible),
        .init(
            "snapshotIsStable",
            promise: "A transaction reads one snapshot, even if other connections commit.",
            snapshotIsStable),
        .init(
            "snapshotBeginsWithTheFirstRead",
            promise: "The first read of a deferred transaction takes its snapshot.",
            snapshotBeginsWithTheFirstRead),
        .init(
            "runningReadIsStable",
            promise: "A running SELECT reads one snapshot, even if other connections commit.",
            runningReadIsStable),
        .init(
            "conflictingWriteIsBusy",
            promise: "A write that conflicts with the commit of another transaction gets a busy error.",
            conflictingWriteIsBusy),
        .init(
            "writersExcludeEachOther", promise: "A second writer gets a busy error.", writersExcludeEachOther),
        .init(
            "busyHandlerIsAsked",
            promise: "The busy handler is called with 0, 1, 2 and so on, until it gives up.",
            busyHandlerIsAsked),
        .init(
            "busyHandlerCanWait",
            promise: "A write succeeds if the lock is released while the busy handler waits.",
            busyHandlerCanWait),
    ]

    private static func committedChangesAreSeen(_ fixture: ContractFixture) throws {
        let (a, b) = try fixture.pair(count: 1)
        try expectEqual(try b.playerIDs(), [1], "the rows read by the second connection")
        try a.insertPlayer(2)
        try expectEqual(try b.playerIDs(), [1, 2], "the rows after the first connection's commit")
        try b.insertPlayer(3)
        try expectEqual(try a.playerIDs(), [1, 2, 3], "the rows after the second connection's commit")
    }

    private static func uncommittedChangesAreInvisible(_ fixture: ContractFixture) throws {
        let (a, b) = try fixture.pair(count: 1)
        try fixture.require(
            b.storage.capabilities.allowsConcurrentReaders, "the backend has no concurrent readers")
        try a.begin(.beginImmediate)
        try a.execute("INSERT INTO player VALUES (2, 'b', 0); DELETE FROM player WHERE id = 1")
        try expectEqual(try a.playerIDs(), [2], "the rows read by the writer")
        try expectEqual(try b.playerIDs(), [1], "the rows read by the other connection")
        try a.storage.perform(.rollback)
        try expectEqual(try b.playerIDs(), [1], "the rows read by the other connection after the rollback")
    }

    private static func snapshotIsStable(_ fixture: ContractFixture) throws {
        let (a, b) = try fixture.pair(count: 1)
        try fixture.require(
            b.storage.capabilities.allowsConcurrentReaders, "the backend has no concurrent readers")
        try b.begin()
        try expectEqual(try b.playerIDs(), [1], "the rows of the snapshot")
        for id in 2...3 {
            try a.insertPlayer(id)
            try expectEqual(try b.playerIDs(), [1], "the rows of the snapshot after a commit")
        }
        try b.commit()
        try expectEqual(try b.playerIDs(), [1, 2, 3], "the rows after the snapshot")
    }

    private static func snapshotBeginsWithTheFirstRead(_ fixture: ContractFixture) throws {
        let (a, b) = try fixture.pair(count: 1)
        try b.begin()
        try a.insertPlayer(2)
        try expectEqual(try b.playerIDs(), [1, 2], "the rows of the first read")
        try b.commit()
    }

    private static func runningReadIsStable(_ fixture: ContractFixture) throws {
        let (a, b) = try fixture.pair(count: 3)
        try fixture.require(
            b.storage.capabilities.allowsConcurrentReaders, "the backend has no concurrent readers")
        try b.withStatement("SELECT id FROM player ORDER BY id") { statement in
            try expectTrue(try statement.step(), "a first row")
            try a.execute("DELETE FROM player WHERE id = 2; INSERT INTO player VALUES (4, 'd', 0)")
            try expectEqual(
                try statement.allRows(), [[.integer(2)], [.integer(3)]], "the remaining rows")
        }
        try expectEqual(try b.playerIDs(), [1, 3, 4], "the rows of the next read")
    }

    private static func conflictingWriteIsBusy(_ fixture: ContractFixture) throws {
        let (a, b) = try fixture.pair(count: 1)
        try fixture.require(!a.storage.capabilities.excludesWriters, "writers exclude each other")
        for connection in [a, b] {
            try connection.begin(.beginImmediate)
            try expectEqual(try connection.integers("SELECT score FROM player"), [10], "the score")
        }
        try a.execute("UPDATE player SET score = score + 1")
        try a.commit()
        try expectError(.busy, "updating the same row from an older snapshot") {
            try b.execute("UPDATE player SET score = score + 1")
            try b.commit()
        }
        if b.storage.isInTransaction { try b.storage.perform(.rollback) }
        try expectEqual(try b.integers("SELECT score FROM player"), [11], "the score at the end")
    }

    private static func writersExcludeEachOther(_ fixture: ContractFixture) throws {
        let (a, b) = try fixture.pair()
        try requireExclusion(a, fixture)
        try a.begin(.beginImmediate)
        try expectError(.busy, "beginning a second write transaction") { try b.begin(.beginImmediate) }
        try expectTrue(!b.storage.isInTransaction, "no open transaction after the busy error")
        try expectError(.busy, "writing while another connection writes") { try b.insertPlayer(1) }
        try a.commit()
        try b.insertPlayer(1)
        try expectEqual(try a.playerIDs(), [1], "the rows after the second connection's write")
    }

    private static func requireExclusion(_ connection: ContractConnection, _ fixture: ContractFixture) throws
    {
        try fixture.require(
            connection.storage.capabilities.excludesWriters, "writers do not exclude each other")
    }

    private static func busyHandlerIsAsked(_ fixture: ContractFixture) throws {
        let log = ContractLog<Int>()
        let (a, b) = try fixture.pair { attempts in
            log.append(attempts)
            return attempts < 2
        }
        try requireExclusion(a, fixture)
        try a.begin(.beginImmediate)
        try expectError(.busy, "writing while another connection writes") { try b.insertPlayer(1) }
        try expectEqual(log.elements, [0, 1, 2], "the arguments of the busy handler")
        try expectError(.busy, "beginning a second write transaction") { try b.begin(.beginImmediate) }
        try expectEqual(log.elements, [0, 1, 2, 0, 1, 2], "the arguments of the busy handler for two locks")
        try a.commit()
    }

    private static func busyHandlerCanWait(_ fixture: ContractFixture) throws {
        let location = fixture.location()
        let a = try SharedConnection(fixture.backend, location)
        defer { try? a.use { try $0.storage.close() } }
        try a.use {
            try requireExclusion($0, fixture)
            try $0.createPlayers(count: 0)
        }
        let b = try fixture.open(location) {
            $0.journalMode = .wal
            $0.busyHandler = { attempts in
                if attempts == 2 { try? a.use { try $0.commit() } }
                return attempts < 10
            }
        }
        try a.use {
            try $0.begin(.beginImmediate)
            try $0.insertPlayer(1)
        }
        try b.insertPlayer(2)
        try expectEqual(try b.playerIDs(), [1, 2], "the rows after both commits")
    }
}
