import Dispatch
import VigilStorage

/// Checks that statements can be interrupted from another thread.
enum InterruptionChecks {
    static let all: [BackendContract.Check] = [
        .init(
            "runningStatementIsInterrupted",
            promise: "A running statement can be interrupted from another thread.",
            runningStatementIsInterrupted),
        .init(
            "waitingStatementIsInterrupted",
            promise: "A write that is interrupted while it waits for a lock throws, and writes nothing.",
            waitingStatementIsInterrupted),
        .init(
            "idleConnectionIsNotInterrupted",
            promise: "An interruption has no effect while no statement runs.",
            idleIsNotInterrupted),
    ]

    private static func runningStatementIsInterrupted(_ fixture: ContractFixture) throws {
        let connection = try fixture.players(count: 3)
        try connection.withStatement("SELECT id, name FROM player") { statement in
            try expectTrue(try statement.step(), "a first row")
            let interrupter = connection.storage.interrupter
            let done = DispatchSemaphore(value: 0)
            DispatchQueue.global().async {
                interrupter.interrupt()
                done.signal()
            }
            done.wait()
            try expectError(.interrupt, "the step after the interruption") { _ = try statement.step() }
            statement.reset()
            try expectEqual(try statement.allRows().count, 3, "the number of rows of the next run")
        }
    }

    private static func waitingStatementIsInterrupted(_ fixture: ContractFixture) throws {
        let location = fixture.location()
        let a = try SharedConnection(fixture.backend, location)
        defer { try? a.use { try $0.storage.close() } }
        try a.use {
            try fixture.require($0.storage.capabilities.excludesWriters, "writers do not exclude each other")
            try $0.createPlayers(count: 0)
        }
        let interrupters = ContractLog<any StorageInterrupter>()
        let b = try fixture.open(location) {
            $0.journalMode = .wal
            $0.busyHandler = { attempts in
                guard attempts == 0 else { return false }
                for interrupter in interrupters.elements { interrupter.interrupt() }
                try? a.use { try $0.commit() }
                return true
            }
        }
        interrupters.append(b.storage.interrupter)
        try a.use { try $0.begin(.beginImmediate) }
        try expectError(.interrupt, "the interrupted write") { try b.insertPlayer(1) }
        try expectEqual(try b.playerIDs(), [], "the rows after the interrupted write")
        try b.insertPlayer(1)
        try expectEqual(try b.playerIDs(), [1], "the rows after the next write")
    }

    private static func idleIsNotInterrupted(_ fixture: ContractFixture) throws {
        let connection = try fixture.players(count: 1)
        let interrupter = connection.storage.interrupter
        interrupter.interrupt()
        try connection.insertPlayer(2)
        try connection.begin()
        interrupter.interrupt()
        try connection.insertPlayer(3)
        try connection.commit()
        try expectEqual(try connection.playerIDs(), [1, 2, 3], "the rows after the interruptions")
        try connection.storage.close()
        interrupter.interrupt()
    }
}
