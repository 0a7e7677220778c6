import BenchmarkReport
import XCTest

final class StatisticsTests: XCTestCase {
    func testTheMedianOfAnEvenNumberOfValuesIsTheMeanOfTheMiddleTwo() {
        XCTAssertNil(median([]))
        XCTAssertEqual(median([7]), 7)
        XCTAssertEqual(median([9, 1, 5]), 5)
        XCTAssertEqual(median([9, 1, 5, 3]), 4)
    }

    func testRatiosAreComputedPerRound() {
        // The machine is ten times slower in the second round, which leaves the ratio unchanged.
        XCTAssertEqual(
            Spread(ofRatios: [2, 20, 2], over: [1, 10, 1]), Spread(median: 2, min: 2, max: 2))
        XCTAssertEqual(
            Spread(ofRatios: [2, 20, 6], over: [1, 10, 1]), Spread(median: 2, min: 2, max: 6))
    }

    func testARatioRequiresARoundOfBothEngines() {
        XCTAssertNil(Spread(ofRatios: [], over: [1]))
        XCTAssertNil(Spread(ofRatios: [1], over: [0]))
        XCTAssertEqual(Spread(ofRatios: [3, 5], over: [1])?.median, 3)
    }

    func testSummariesKeepThreeDigitsAndTheMaximum() throws {
        var histogram = LatencyHistogram()
        for latency in 1...1_000 { histogram.record(Int64(latency) * 1_000) }
        let summary = try XCTUnwrap(LatencySummary(histogram))
        XCTAssertEqual(summary.count, 1_000)
        XCTAssertEqual(summary.p50, 500_000, accuracy: 500)
        XCTAssertEqual(summary.p99, 990_000, accuracy: 990)
        XCTAssertEqual(summary.max, 1_000_000, accuracy: 1_000)
        XCTAssertNil(LatencySummary(LatencyHistogram()))
    }

    func testHistogramsOfRoundsCanBeAdded() throws {
        var first = LatencyHistogram()
        first.record(100, count: 3)
        var second = LatencyHistogram()
        second.record(50_000)
        let copy = try JSONDecoder().decode(LatencyHistogram.self, from: JSONEncoder().encode(second))
        first.add(copy)
        XCTAssertEqual(first.count, 4)
        XCTAssertEqual(try XCTUnwrap(first.percentile(50)), 100)
        XCTAssertEqual(try XCTUnwrap(first.percentile(100)), 50_000, accuracy: 50)
    }

    func testNegativeLatenciesCountAsZero() {
        var histogram = LatencyHistogram()
        histogram.record(-5)
        XCTAssertEqual(histogram.percentile(100), 0)
    }
}
