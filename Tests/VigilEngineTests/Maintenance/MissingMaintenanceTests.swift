import Vigil
import VigilTesting
import XCTest

final class MissingMaintenanceTests: XCTestCase {
    func testMaintenanceThrowsForBackendsWithoutIt() throws {
        var configuration = Configuration()
        configuration.backend = SimulatedBackend()
        let dbQueue = try DatabaseQueue(configuration: configuration)
        try dbQueue.write { try $0.execute(sql: "CREATE TABLE player(id INTEGER PRIMARY KEY)") }
        for (message, work) in [
            ("rebuilding the database", { try dbQueue.vacuum() }),
            ("writing a compact copy", { try dbQueue.vacuum(into: "copy.sqlite") }),
            ("erasing the database", { try dbQueue.erase() }),
        ] as [(String, () throws -> Void)] {
            XCTAssertThrowsError(try work()) { error in
                let error = error as? DatabaseError
                XCTAssertEqual(error?.resultCode, .SQLITE_MISUSE)
                XCTAssertEqual(error?.message, "the backend does not support \(message)")
            }
        }
        XCTAssertEqual(try dbQueue.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM player") }, 0)
    }
}
