import BenchmarkReport
import XCTest

final class FigureTests: XCTestCase {
    func testDurationsHaveThreeSignificantDigits() {
        XCTAssertEqual(Figure.duration(nanoseconds: 0), "0.00 ns")
        XCTAssertEqual(Figure.duration(nanoseconds: 1.234), "1.23 ns")
        XCTAssertEqual(Figure.duration(nanoseconds: 99.96), "100 ns")
        XCTAssertEqual(Figure.duration(nanoseconds: 999.7), "1.00 µs")
        XCTAssertEqual(Figure.duration(nanoseconds: 12_345), "12.3 µs")
        XCTAssertEqual(Figure.duration(nanoseconds: 5_000_000_000_000), "5,000 s")
    }

    func testSizesUseBinaryUnits() {
        XCTAssertEqual(Figure.size(bytes: 1_000), "1,000 B")
        XCTAssertEqual(Figure.size(bytes: 1_536), "1.50 KiB")
    }

    func testCountsAreGroupedInThousands() {
        XCTAssertEqual(Figure.count(0), "0")
        XCTAssertEqual(Figure.count(0.25), "0.25")
        XCTAssertEqual(Figure.count(1_234_567), "1,234,567")
        XCTAssertEqual(Figure.ratio(1_234.4), "1,234")
        XCTAssertEqual(Figure.ratio(0.01), "0.01")
        XCTAssertEqual(Figure.ratio(0.004), "1/250")
        XCTAssertEqual(Figure.ratio(0), "0.00")
    }
}
