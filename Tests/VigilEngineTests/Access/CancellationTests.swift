import Dispatch
import Foundation
import Vigil
import XCTest

final class CancellationTests: XCTestCase {
    func testATaskCancelledBeforehandRunsNoAccessOfAnyKind() async throws {
        try await onEachWriterAsync { writer in
            let accesses: [@Sendable () async throws -> Void] = [
                { try await writer.read { _ in XCTFail("read") } },
                { try await writer.unsafeRead { _ in XCTFail("unsafeRead") } },
                { try await writer.write { _ in XCTFail("write") } },
                { try await writer.writeWithoutTransaction { _ in XCTFail("writeWithoutTransaction") } },
                { try await writer.barrierWriteWithoutTransaction { _ in XCTFail("barrier") } },
            ]
            for access in accesses {
                await assertCancelled(
                    Task {
                        cancelOneself()
                        try await access()
                    })
            }
            let count = try await rowCount(writer)
            XCTAssertEqual(count, 0)
        }
    }

    func testATaskCancelledWhileItWaitsForTheWriterDoesNotWrite() async throws {
        try await onEachWriterAsync { writer in
            let (held, free) = (Gate(), Gate())
            writer.asyncWriteWithoutTransaction { _ in
                held.open()
                free.wait()
            }
            await held.passed()
            let task = Task { try await writer.write { _ in XCTFail("accessed") } }
            task.cancel()
            free.open()
            await assertCancelled(task)
        }
    }

    func testTheNextStatementOfACancelledAccessThrowsAndTheWriteIsRolledBack() async throws {
        try await onEachWriterAsync { writer in
            await assertCancelled(
                Task {
                    try await writer.write { db in
                        try db.execute(sql: insertIntoT)
                        cancelOneself()
                        do {
                            try db.execute(sql: insertIntoT)
                            XCTFail("it ran")
                        } catch is CancellationError {
                            XCTAssertTrue(db.isInsideTransaction)
                            throw CancellationError()
                        }
                    }
                })
            await assertCancelled(
                Task {
                    try await writer.read { db in
                        cancelOneself()
                        _ = try Int.fetchOne(db, sql: "SELECT 1")
                    }
                })
            let count = try await rowCount(writer)
            XCTAssertEqual(count, 0)
        }
    }

    func testTheNextStepOfACursorThrows() async throws {
        try await onEachWriterAsync { writer in
            let seen = Values<Int>()
            await assertCancelled(
                Task {
                    try await writer.read { db in
                        let cursor = try Row.fetchCursor(
                            db, sql: "SELECT 1 AS a UNION SELECT 2 UNION SELECT 3")
                        while let row = try cursor.next() {
                            seen.append(row["a"])
                            cancelOneself()
                        }
                    }
                })
            XCTAssertEqual(seen.all, [1])
        }
    }

    func testACancelledWriteWithoutFurtherStatementsThrowsAtItsCommit() async throws {
        try await onEachWriterAsync { writer in
            await assertCancelled(
                Task {
                    try await writer.write { db in
                        try db.execute(sql: insertIntoT)
                        cancelOneself()
                    }
                })
            await assertCancelled(
                Task {
                    try await writer.writeWithoutTransaction { db in
                        try db.inSavepoint {
                            try db.execute(sql: insertIntoT)
                            cancelOneself()
                            return .commit
                        }
                    }
                })
            let count = try await rowCount(writer)
            XCTAssertEqual(count, 0)
        }
    }

    func testCancelledAccessesWithoutFurtherStatementsSucceed() async throws {
        try await onEachWriterAsync { writer in
            let task = Task {
                let one = try await writer.read { db in
                    defer { cancelOneself() }
                    return try Int.fetchOne(db, sql: "SELECT 1")
                }
                XCTAssertEqual(one, 1)
            }
            try await task.value
            let write = Task {
                try await writer.writeWithoutTransaction { db in
                    try db.execute(sql: insertIntoT)
                    cancelOneself()
                }
            }
            try await write.value
            let count = try await rowCount(writer)
            XCTAssertEqual(count, 1)
        }
    }

    func testARunningStatementIsInterrupted() async throws {
        try await onEachWriterAsync { writer in
            for sql in [endlessQuery, endlessWrite] {
                let begun = Gate()
                let task = Task {
                    try await writer.write { db in
                        try db.execute(sql: insertIntoT)
                        begun.open()
                        try db.execute(sql: sql)
                    }
                }
                await begun.passed()
                task.cancel()
                await assertCancelled(task)
            }
            let begun = Gate()
            let task = Task {
                try await writer.read { db in
                    begun.open()
                    _ = try Int.fetchOne(db, sql: endlessQuery)
                }
            }
            await begun.passed()
            task.cancel()
            await assertCancelled(task)
            try await writer.write { db in try db.execute(sql: insertIntoT) }
            let count = try await rowCount(writer)
            XCTAssertEqual(count, 1)
        }
    }

    func testACancelledTaskStopsWaitingForALock() async throws {
        var configuration = Configuration()
        let isWaiting = Gate()
        configuration.busyMode = .callback { _ in
            isWaiting.open()
            return true
        }
        for (_, backend) in testedBackends {
            configuration.backend = backend
            let directory = try TemporaryDirectory()
            let other = try DatabaseQueue(path: directory.file("db"), configuration: configuration)
            let dbQueue = try DatabaseQueue(path: directory.file("db"), configuration: configuration)
            let (locked, unlock) = (Gate(), Gate())
            other.asyncWriteWithoutTransaction { db in
                assertNoError {
                    try db.inTransaction(.exclusive) {
                        locked.open()
                        unlock.wait()
                        return .rollback
                    }
                }
            }
            await locked.passed()
            let task = Task { try await dbQueue.write { _ in XCTFail("the cancelled write ran") } }
            await isWaiting.passed()
            task.cancel()
            await assertCancelled(task)
            unlock.open()
            try await dbQueue.write { _ in }
        }
    }

    func testACursorThatOutlivesACancelledWriteDoesNotPreventItsRollback() async throws {
        final class Kept: @unchecked Sendable {
            // Used inside accesses only.
            var cursor: RowCursor?
        }
        try await onEachWriterAsync { writer in
            try await writer.write { db in
                for _ in 1...3 { try db.execute(sql: insertIntoT) }
            }
            let kept = Kept()
            await assertCancelled(
                Task {
                    try await writer.write { db in
                        try db.execute(sql: "DELETE FROM t WHERE id = 3")
                        kept.cursor = try Row.fetchCursor(db, sql: "SELECT * FROM t")
                        _ = try kept.cursor?.next()
                        cancelOneself()
                    }
                })
            try await writer.writeWithoutTransaction { db in
                XCTAssertFalse(db.isInsideTransaction)
                kept.cursor = nil
            }
            try await writer.write { db in try db.execute(sql: insertIntoT) }
            let count = try await rowCount(writer)
            XCTAssertEqual(count, 4)
        }
    }

    func testObserversFetchAfterTheCommitOfACancelledTask() async throws {
        final class Canceller: TransactionObserver {
            func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { false }
            func databaseDidChange(with event: DatabaseEvent) {}
            func databaseDidCommit(_ db: Database) { cancelOneself() }
            func databaseDidRollback(_ db: Database) {}
        }
        try await onEachWriterAsync { writer in
            let (changed, cancellable) = await observeCount(in: writer)
            let task = Task {
                try await writer.write { db in
                    db.add(transactionObserver: Canceller(), extent: .nextTransaction)
                    try db.execute(sql: insertIntoT)
                }
            }
            try await task.value
            await changed.passed()
            cancellable.cancel()
        }
    }

    func testObserversFetchAfterACommitDuringWhichTheTaskWasCancelled() async throws {
        final class Canceller: TransactionObserver {
            func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { false }
            func databaseDidChange(with event: DatabaseEvent) {}
            func databaseWillCommit() throws { cancelOneself() }
            func databaseDidCommit(_ db: Database) {}
            func databaseDidRollback(_ db: Database) {}
        }
        try await onEachWriterAsync { writer in
            for mayWrite in [false, true] {
                try await writer.write { db in
                    try db.execute(sql: "DELETE FROM t")
                    for _ in 1...3 { try db.execute(sql: insertIntoT) }
                }
                let (changed, cancellable) = await observeCount(
                    of: "t WHERE a = 'seen'", in: writer, mayWrite: mayWrite)
                // The statement of the cursor keeps the interruption of the committed one.
                await assertCancelled(
                    Task {
                        try await writer.writeWithoutTransaction { db in
                            db.add(transactionObserver: Canceller(), extent: .nextTransaction)
                            let cursor = try Row.fetchCursor(db, sql: "SELECT id FROM t")
                            while let row = try cursor.next() {
                                let id: Int = row["id"]
                                try db.execute(sql: "UPDATE t SET a = 'seen' WHERE id = ?", arguments: [id])
                            }
                        }
                    })
                await changed.passed()
                cancellable.cancel()
            }
        }
    }

    func testObserversFetchAfterABackupDuringWhichTheTaskWasCancelled() async throws {
        try await onEachWriterAsync { writer in
            var configuration = Configuration()
            configuration.backend = writer.configuration.backend
            let source = try DatabaseQueue(configuration: configuration)
            try await source.write { db in
                try db.execute(sql: "CREATE TABLE t(id INTEGER PRIMARY KEY, a)")
                try db.execute(sql: insertIntoT)
            }
            let (changed, cancellable) = await observeCount(in: writer)
            let task = Task {
                try await writer.writeWithoutTransaction { db in
                    try source.read { other in
                        try other.backup(to: db) { progress in
                            if progress.isCompleted { cancelOneself() }
                        }
                    }
                }
            }
            try await task.value
            await changed.passed()
            cancellable.cancel()
        }
    }

    func testInterruptEndsOnlyRunningStatements() async throws {
        try await onEachWriterAsync { writer in
            for access in ["read", "write"] {
                let (begun, ended) = (Gate(), Gate())
                DispatchQueue.global().async {
                    assertDatabaseError(.SQLITE_INTERRUPT) {
                        if access == "read" {
                            try writer.read { db in
                                begun.open()
                                try db.execute(sql: endlessQuery)
                            }
                        } else {
                            try writer.write { db in
                                begun.open()
                                try db.execute(sql: endlessWrite)
                            }
                        }
                    }
                    ended.open()
                }
                await begun.passed()
                // SQLite ignores an interruption before the first step.
                let timer = DispatchSource.makeTimerSource()
                timer.schedule(deadline: .now(), repeating: .milliseconds(1))
                timer.setEventHandler { writer.interrupt() }
                timer.resume()
                await ended.passed()
                timer.cancel()
            }
            try await writer.write { db in try db.execute(sql: insertIntoT) }
        }
    }

    func testStatementsAfterAnInterruptionDoNotRunOutsideTheTransaction() async throws {
        try await onEachWriterAsync { writer in
            assertDatabaseError(.SQLITE_ABORT, "Transaction was aborted") {
                try writer.write { db in
                    // An interruption during compilation would leave the transaction open.
                    let statement = try db.makeStatement(sql: endlessWrite)
                    let timer = DispatchSource.makeTimerSource()
                    timer.schedule(deadline: .now(), repeating: .milliseconds(1))
                    timer.setEventHandler { writer.interrupt() }
                    timer.resume()
                    assertDatabaseError(.SQLITE_INTERRUPT) { try statement.execute() }
                    timer.cancel()
                    XCTAssertFalse(db.isInsideTransaction)
                    try db.execute(sql: insertIntoT)
                }
            }
            let count = try await rowCount(writer)
            XCTAssertEqual(count, 0)
        }
    }

    func testTaskLocalValuesAreSeenInsideAccesses() async throws {
        try await onEachWriterAsync { writer in
            let seen = try await Traced.$name.withValue("a") {
                [
                    try await writer.read { _ in Traced.name },
                    try await writer.write { _ in Traced.name },
                    try await writer.barrierWriteWithoutTransaction { _ in Traced.name },
                ]
            }
            XCTAssertEqual(seen, ["a", "a", "a"])
        }
    }
}

/// Observes the number of rows, and waits for its first value, 0. The gate opens with another value.
private func observeCount(
    of rows: String = "t", in writer: any DatabaseWriter, mayWrite: Bool = false
) async -> (changed: Gate, cancellable: AnyDatabaseCancellable) {
    let (initial, changed) = (Gate(), Gate())
    var observation = ValueObservation.tracking { db in
        try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM \(rows)") ?? -1
    }
    observation.requiresWriteAccess = mayWrite
    let cancellable = observation.start(
        in: writer, scheduling: .inline,
        onError: { error in
            XCTFail("\(error)")
            changed.open()
        },
        onChange: { value in (value == 0 ? initial : changed).open() })
    await initial.passed()
    return (changed, cancellable)
}

private enum Traced {
    @TaskLocal static var name = ""
}
