import VigilLists
import VigilStorage
import VigilTestSupport
import VigilTesting
import XCTest

@testable import VigilEngine

final class ShownRowsTests: XCTestCase {
    private let layout = RowLayout(names: ["number"])
    private let seed = RandomTestSettings.seed

    private func replace(_ rows: inout ShownRows, by numbers: [Int64], layout: RowLayout? = nil) {
        rows.begin(layout ?? self.layout)
        for number in numbers {
            var packed: [UInt8] = []
            PackedValues.append(StorageCell(integer: number), to: &packed)
            packed.withUnsafeBytes { rows.add($0) }
        }
        rows.end()
        XCTAssertEqual(rows.rows.map { $0[0] as Int64 }, numbers, "VIGIL_SEED=\(seed)")
    }

    /// Replaces rows, and returns those that are new objects.
    private func newRows(of old: [Int64], _ numbers: [Int64]) -> [Int64] {
        var rows = ShownRows()
        replace(&rows, by: old)
        let known = rows.rows
        replace(&rows, by: numbers)
        return rows.rows.filter { row in !known.contains { $0 === row } }.map { $0[0] }
    }

    func testUnchangedRowsStayTheSameObjects() {
        XCTAssertEqual(newRows(of: [1, 2, 3], [1, 2, 3]), [])
        XCTAssertEqual(newRows(of: [1, 2, 3], [1, 7, 3]), [7])
        XCTAssertEqual(newRows(of: [1, 2, 3], [7, 8, 3]), [7, 8])
        XCTAssertEqual(newRows(of: [1, 2, 3], [1, 2]), [])
        XCTAssertEqual(newRows(of: [1, 2, 3], [2, 3]), [], "removed at the beginning")
        XCTAssertEqual(newRows(of: [1, 2, 3], [1, 2, 3, 4]), [4])
        XCTAssertEqual(newRows(of: [1, 2, 3], [7, 1, 2, 3]), [7], "inserted at the beginning")
        XCTAssertEqual(newRows(of: [1, 2, 3, 4], [1, 7, 2, 3]), [7], "inserted before the last ones")
        XCTAssertEqual(newRows(of: [1, 2, 3, 4], [2, 3, 4, 7]), [7], "the first one moved behind the last")
        XCTAssertEqual(newRows(of: [1, 2, 3], []), [])
        XCTAssertEqual(newRows(of: [], [1]), [1])
    }

    /// Whatever the changes are, the rows are the given ones.
    func testRandomChanges() {
        var random = SplitMix64(seed: seed)
        var rows = ShownRows()
        var numbers: [Int64] = []
        for _ in 0..<2_000 {
            for _ in 0..<Int.random(in: 0...3, using: &random) {
                let place = Int.random(in: 0...numbers.count, using: &random)
                if Bool.random(using: &random) || place == numbers.count {
                    numbers.insert(Int64.random(in: 0..<20, using: &random), at: place)
                } else if Bool.random(using: &random) {
                    numbers.remove(at: place)
                } else {
                    numbers[place] = Int64.random(in: 0..<20, using: &random)
                }
            }
            if numbers.count > 12 { numbers.removeFirst(numbers.count - 6) }
            replace(&rows, by: numbers)
        }
        XCTAssertGreaterThan(rows.byteCount, 200 * numbers.count)
    }

    func testRowsHaveTheNamesOfTheirColumns() {
        var rows = ShownRows()
        replace(&rows, by: [1, 2])
        let known = rows.rows
        replace(&rows, by: [1, 2], layout: RowLayout(names: ["number"]))
        XCTAssertTrue(zip(known, rows.rows).allSatisfy { $0 === $1 }, "the layout of another connection")
        replace(&rows, by: [1, 2], layout: RowLayout(names: ["renamed"]))
        XCTAssertEqual(rows.rows.map { Array($0.columnNames) }, [["renamed"], ["renamed"]])
    }
}
