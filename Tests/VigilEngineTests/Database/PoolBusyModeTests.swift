import Vigil
import VigilTesting
import XCTest

@testable import VigilEngine

/// The reaction of a pool's connections to locks.
final class PoolBusyModeTests: XCTestCase {
    private func timeout(_ change: (inout Configuration) -> Void) -> TimeInterval {
        var configuration = Configuration()
        change(&configuration)
        let readers = configuration.forReaders
        XCTAssertTrue(readers.readonly)
        // A pool's snapshots derive their configuration in the same way.
        return switch (readers.busyMode, readers.forReaders.busyMode) {
        case (.immediateError, .immediateError): 0
        case (.timeout(let first), .timeout(let second)) where first == second: first
        default: -1
        }
    }

    func testReadersWaitUnlessABusyModeIsSet() {
        XCTAssertEqual(timeout { _ in }, 10)
        XCTAssertEqual(timeout { $0.foreignChanges = .observed }, 10)
    }

    func testABusyModeThatIsSetAppliesToReaders() {
        XCTAssertEqual(timeout { $0.busyMode = .immediateError }, 0)
        XCTAssertEqual(timeout { $0.busyMode = .timeout(3) }, 3)
        XCTAssertEqual(
            timeout {
                $0.foreignChanges = .observed
                $0.busyMode = .immediateError
            }, 0)
    }

    /// Readers that begin during a commit can take the lock of writers for a moment.
    func testThePoolsWriterWaitsForAShortLockUnlessABusyModeIsSet() throws {
        let directory = try TemporaryDirectory()
        let pool = try DatabasePool(path: directory.file("db"))
        let other = try DatabaseQueue(path: directory.file("db"))
        try other.inDatabase { db in
            try db.execute(sql: "BEGIN IMMEDIATE")
            let start = ContinuousClock.now
            XCTAssertThrowsError(try pool.write { _ in }) {
                XCTAssertEqual(($0 as? DatabaseError)?.resultCode, .SQLITE_BUSY)
            }
            XCTAssertGreaterThanOrEqual(ContinuousClock.now - start, .milliseconds(100))
            try db.execute(sql: "ROLLBACK")
        }
        try pool.write { _ in }
        var configuration = Configuration()
        configuration.foreignChanges = .observed
        XCTAssertEqual(configuration.busyMode(waitingAtLeast: 0.1).timeout, .seconds(5))
        configuration.busyMode = .immediateError
        guard case .immediateError = configuration.busyMode(waitingAtLeast: 0.1) else {
            return XCTFail("the mode that is set does not apply")
        }
    }
}
