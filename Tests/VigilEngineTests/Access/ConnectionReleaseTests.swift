import Dispatch
import Vigil
import XCTest

/// Connections are released with their owners, although their cached statements retain them.
final class ConnectionReleaseTests: XCTestCase {
    /// The connections that were used.
    // Guard of `weak`: accesses that follow one another.
    private final class Seen: @unchecked Sendable {
        private struct Weak { weak var database: Database? }

        private var weak: [Weak] = []
        var count: Int { weak.count }
        /// A pool releases connections after work on other threads ends, shortly after its own release.
        var areReleased: Bool {
            let deadline = DispatchTime.now() + 10
            while weak.contains(where: { $0.database != nil }) {
                if DispatchTime.now() > deadline { return false }
                DispatchQueue.global().sync {}
            }
            return true
        }

        func use(_ db: Database) throws {
            weak.append(Weak(database: db))
            XCTAssertEqual(try Int.fetchOne(db.cachedStatement(sql: "SELECT 1")), 1)
        }
    }

    func testTheConnectionOfAQueueIsReleased() throws {
        let seen = Seen()
        try onEachQueue { dbQueue in
            try dbQueue.write(seen.use)
            try dbQueue.read(seen.use)
        }
        XCTAssertGreaterThanOrEqual(seen.count, 2)
        XCTAssertTrue(seen.areReleased)
    }

    func testTheConnectionsOfAPoolAreReleased() throws {
        let seen = Seen()
        try onEachPool { pool, _ in
            try pool.write(seen.use)
            try pool.read(seen.use)
            try pool.makeSnapshot().read(seen.use)
        }
        XCTAssertGreaterThanOrEqual(seen.count, 3)
        XCTAssertTrue(seen.areReleased)
    }

    func testAConnectionThatCannotBePreparedIsReleased() {
        let seen = Seen()
        var configuration = Configuration()
        configuration.prepareDatabase { db in
            try seen.use(db)
            throw CancellationError()
        }
        XCTAssertThrowsError(try DatabaseQueue(configuration: configuration))
        XCTAssertEqual(seen.count, 1)
        XCTAssertTrue(seen.areReleased)
    }
}
