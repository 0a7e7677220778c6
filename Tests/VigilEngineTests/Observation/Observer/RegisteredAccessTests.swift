import Vigil
import XCTest

final class RegisteredAccessTests: XCTestCase {
    func testRegisteredAccessIsObserved() throws {
        try onEachFixture([.memory, .pool], [.queue]) { fixture in
            let observed = fixture.observe(
                ValueObservation.tracking { db in
                    try db.registerAccess(to: Table("t"))
                    return db.totalChangesCount >= 0
                })
            observed.expect([true])
            try fixture.insert()
            observed.expect([true, true])
            observed.cancel()
        }
    }

    func testRegisteredTableNeedNotExist() throws {
        try onEachFixture([.memory, .pool], [.queue]) { fixture in
            let observed = fixture.observe(
                ValueObservation.tracking { db in
                    try db.registerAccess(to: DatabaseRegion(table: "later"))
                    return try db.tableExists("t")
                })
            observed.expect([true])
            try fixture.writer.commit("CREATE TABLE later(a)")
            observed.expect([true, true])
            try fixture.writer.commit("INSERT INTO later VALUES (1)")
            observed.expect([true, true, true])
            observed.cancel()
        }
    }

    func testRegisteredAccessIsRecorded() throws {
        try onEachQueue(schema: tableT) { dbQueue in
            try dbQueue.read { db in
                var region = DatabaseRegion()
                try db.recordingSelection(&region) {
                    try db.registerAccess(to: DatabaseRegion(table: "T", columns: ["a"]))
                }
                XCTAssertEqual(region.description, "t(a)")
            }
        }
    }

    func testRegionIsNotEvaluatedOutsideOfAFetch() throws {
        struct Unused: DatabaseRegionConvertible {
            func databaseRegion(_ db: Database) throws -> DatabaseRegion {
                XCTFail("the region was evaluated")
                return DatabaseRegion()
            }
        }
        try onEachQueue { dbQueue in try dbQueue.read { try $0.registerAccess(to: Unused()) } }
    }
}
