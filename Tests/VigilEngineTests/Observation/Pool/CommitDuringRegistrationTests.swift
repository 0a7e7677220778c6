import Dispatch
import Synchronization
import Vigil
import XCTest

/// Commits between a pool's fetch and the registration of the region that it has read.
final class CommitDuringRegistrationTests: XCTestCase {
    /// Performs an action once.
    private final class Once: Sendable {
        private let isPending = Mutex(true)

        func callAsFunction(_ action: () -> Void) {
            let runs = isPending.withLock { isPending in
                defer { isPending = false }
                return isPending
            }
            if runs { action() }
        }
    }

    /// Commits on another thread, and waits for the commit.
    private static func commit(_ pool: DatabasePool) {
        let committed = Gate()
        DispatchQueue.global().async {
            assertNoError { try pool.write { db in try db.execute(sql: insertIntoT) } }
            committed.open()
        }
        committed.wait()
    }

    func testEachOfTwoCommitsIsReported() throws {
        try onEachPool { pool, _ in
            let (fetching, tracking) = (Once(), Once())
            let (commits, values) = (Recorder<UInt64>(), Recorder<Int>())
            let cancellable = ValueObservation.tracking { db -> Int in
                let count = try countRows(db)
                // The snapshot does not contain this commit.
                fetching { Self.commit(pool) }
                return count
            }
            .handleEvents(
                // The region is registered by now, and matches this commit.
                willTrackRegion: { _ in tracking { Self.commit(pool) } },
                didTrigger: { commits.append($0.commit.rawValue) }
            )
            .start(
                in: pool, scheduling: .inline, onError: { XCTFail("\($0)") },
                onChange: { values.append($0) })
            XCTAssertEqual(values.wait { $0.last == 2 }.last, 2)
            let reported = commits.all.sorted()
            XCTAssertEqual(reported.count, 2)
            XCTAssertEqual(reported.last, (reported.first ?? 0) + 1)
            let status = try XCTUnwrap(pool.observations.first)
            XCTAssertEqual(status.changeCount, 2)
            XCTAssertEqual(status.lastTrigger?.commit.rawValue, reported.last)
            cancellable.cancel()
        }
    }
}
