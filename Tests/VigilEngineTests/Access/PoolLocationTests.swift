import Vigil
import XCTest

/// The places in which a pool can open a database.
final class PoolLocationTests: XCTestCase {
    func testAPoolNeedsAFile() throws {
        for (name, backend) in testedBackends {
            var configuration = Configuration()
            configuration.backend = backend
            for path in [":memory:", ""] {
                XCTAssertThrowsError(
                    try DatabasePool(path: path, configuration: configuration), "\(name): \(path)"
                ) { error in
                    let message = (error as? DatabaseError)?.message ?? "\(error)"
                    XCTAssertTrue(
                        message.contains("a DatabasePool needs a database file"), "\(path): \(message)")
                }
            }
        }
    }
}
