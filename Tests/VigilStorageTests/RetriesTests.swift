import VigilStorage
import XCTest

final class RetriesTests: XCTestCase {
    func testPausesDoubleUpToTheLongestAndBeginAgainAfterASuccess() {
        var retries = Retries(from: .milliseconds(100), to: .milliseconds(700))
        for _ in 0..<2 {
            let pauses = (0..<100).map { _ in retries.didFail() }
            XCTAssertEqual(Array(pauses.prefix(4)), [100, 200, 400, 700].map { Duration.milliseconds($0) })
            XCTAssertEqual(Set(pauses.dropFirst(3)), [.milliseconds(700)])
            XCTAssertFalse(retries.isExhausted)
            retries.didSucceed()
            XCTAssertEqual(retries.failureCount, 0)
        }
    }

    func testALimitedNumberOfAttemptsIsExhausted() {
        var retries = Retries.command
        for _ in 0..<retries.limit {
            XCTAssertFalse(retries.isExhausted)
            XCTAssertEqual(retries.didFail(), .zero)
        }
        XCTAssertTrue(retries.isExhausted)
    }
}
