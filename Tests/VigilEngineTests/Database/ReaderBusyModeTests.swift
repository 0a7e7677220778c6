import XCTest

@testable import VigilEngine

/// The reaction of a pool's readers to locks.
final class ReaderBusyModeTests: XCTestCase {
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
}
