import BenchmarkReport
import XCTest

final class LogScaleTests: XCTestCase {
    func testAnAxisBeginsAndEndsAtPowersOfTen() throws {
        let scale = try XCTUnwrap(LogScale(holding: [3, 450], from: 0, to: 300))
        XCTAssertEqual(scale.low, 1)
        XCTAssertEqual(scale.high, 1_000, accuracy: 1e-9)
        XCTAssertEqual(scale.ticks(atMost: 7), [1, 10, 100, 1_000])
    }

    func testEqualRatiosAreEqualDistances() throws {
        let scale = try XCTUnwrap(LogScale(holding: [1, 1_000], from: 300, to: 0))
        XCTAssertEqual(scale.position(of: 1), 300)
        XCTAssertEqual(scale.position(of: 10), 200, accuracy: 1e-9)
        XCTAssertEqual(scale.position(of: 100), 100, accuracy: 1e-9)
    }

    func testValuesBeyondAnEndAreDrawnAtTheEnd() throws {
        let scale = try XCTUnwrap(LogScale(holding: [1, 10], from: 0, to: 100))
        XCTAssertEqual(scale.position(of: 0), 0)
        XCTAssertEqual(scale.position(of: 1_000), 100)
    }

    func testAnAxisSpansAtLeastOneDecade() throws {
        let scale = try XCTUnwrap(LogScale(holding: [100], from: 0, to: 1))
        XCTAssertEqual(scale.ticks(atMost: 7), [100, 1_000])
    }

    func testTicksDoNotExceedTheLimit() throws {
        let scale = try XCTUnwrap(LogScale(holding: [1, 1e9], from: 0, to: 1))
        XCTAssertEqual(scale.ticks(atMost: 5), [1, 100, 10_000, 1_000_000, 100_000_000])
    }

    func testAnAxisRequiresAPositiveFiniteValue() {
        XCTAssertNil(LogScale(holding: [], from: 0, to: 1))
        XCTAssertNil(LogScale(holding: [0, -1, .infinity], from: 0, to: 1))
    }
}
