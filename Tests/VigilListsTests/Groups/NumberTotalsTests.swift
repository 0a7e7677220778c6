import VigilLists
import VigilStorage
import VigilTestSupport
import XCTest

/// Sums to which values are added, and from which they are removed.
final class NumberTotalsTests: XCTestCase {
    private func totals(_ values: [StorageValue]) -> NumberTotals {
        var totals = NumberTotals()
        for value in values { value.withCell { totals.add($0) } }
        return totals
    }

    private func assert(
        _ values: [StorageValue], sum: StorageValue?, total: Double?, average: Double?,
        line: UInt = #line
    ) {
        let totals = totals(values)
        XCTAssertEqual(totals.sum?.value, sum, line: line)
        XCTAssertEqual(totals.total?.real, total, line: line)
        if let average { XCTAssertEqual(totals.average?.real, average, line: line) }
        if !values.isEmpty, average == nil { XCTAssertNil(totals.average, line: line) }
    }

    func testIntegersAreAddedExactly() {
        assert([], sum: .null, total: 0, average: nil)
        XCTAssertEqual(totals([.null]).average?.value, .null)
        assert([.integer(1), .null, .integer(-3)], sum: .integer(-2), total: -2, average: -1)
        XCTAssertEqual(totals([.integer(.max), .integer(-1)]).sum?.value, .integer(.max - 1))
    }

    func testSumsThatMayOverflowInAnotherOrderAreUnknown() {
        assert([.integer(.max), .integer(1), .integer(-9)], sum: nil, total: nil, average: nil)
        assert([.integer(.min), .integer(-1), .integer(9)], sum: nil, total: nil, average: nil)
    }

    func testRealsAreKnownIfEachOrderIsExact() {
        assert([.real(0.5), .integer(2)], sum: .real(2.5), total: 2.5, average: 1.25)
        assert([.real(0x1p52), .real(0x1p51)], sum: .real(0x1.8p52), total: 0x1.8p52, average: 0x1.8p51)
        assert([.real(-0.0)], sum: .real(0), total: 0, average: 0)
        XCTAssertEqual(totals([.real(-0.0)]).sum?.real.sign, .plus)
        assert([.real(0.1)], sum: nil, total: nil, average: nil)
        // The fraction is lost in a sum above 2³³.
        assert([.real(0.5), .integer(1 << 33)], sum: nil, total: nil, average: nil)
        assert([.real(1), .integer(1 << 53)], sum: nil, total: nil, average: nil)
        assert([.real(.infinity)], sum: nil, total: nil, average: nil)
        assert([.text("1")], sum: nil, total: nil, average: nil)
    }

    func testAnyOrderOfAdditionsAndRemovalsEqualsNewTotals() {
        var random = SeededRandom.seeded()
        print("seed of \(name): VIGIL_SEED=\(random.seed)")
        let values: [StorageValue] = [
            .null, .integer(0), .integer(-7), .integer(.max), .integer(.min), .real(0.5), .real(-0.0),
            .real(0.1), .real(1e300), .real(.infinity), .real(-3), .text("x"), .blob([1]),
        ]
        for _ in 0..<RandomTestSettings.rounds(200) {
            var present: [StorageValue] = []
            var changed = NumberTotals()
            for _ in 0..<Int.random(in: 1...40, using: &random) {
                if !present.isEmpty, Int.random(in: 0..<3, using: &random) == 0 {
                    let removed = present.remove(at: Int.random(in: present.indices, using: &random))
                    removed.withCell { changed.remove($0) }
                } else if let value = values.randomElement(using: &random) {
                    present.append(value)
                    value.withCell { changed.add($0) }
                }
            }
            XCTAssertEqual(changed, totals(present), "VIGIL_SEED=\(random.seed)")
        }
    }
}

extension StorageValue {
    /// Calls `body` with a cell, valid until it returns.
    func withCell<Result>(_ body: (StorageCell) -> Result) -> Result {
        switch self {
        case .null: return body(.null)
        case .integer(let integer): return body(StorageCell(integer: integer))
        case .real(let real): return body(StorageCell(real: real))
        case .text(var text):
            return text.withUTF8 { body(StorageCell(borrowingText: UnsafeRawBufferPointer($0))) }
        case .blob(let bytes): return bytes.withUnsafeBytes { body(StorageCell(borrowingBlob: $0)) }
        }
    }
}
