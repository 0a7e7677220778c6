import VigilLists
import VigilStorage
import XCTest

@testable import VigilEngine

final class HeldRowsTests: XCTestCase {
    private let layout = RowLayout(names: ["text", "number", "blob"])

    /// Texts and blobs of any length stand behind the cells of their row.
    func testRowsOfDifferentSizesAreReturnedInOrder() {
        let lengths = [0, 1, 3, 70_000, 5, 8, 200_000, 7, 1] + (0..<100).map { $0 * 13 % 97 }
        let current = StorageRow(count: 3)
        var (copied, unpacked): ([Row], [Row]) = ([], [])
        for (number, length) in lengths.enumerated() {
            withCell(.text(String(repeating: "é", count: length))) { text in
                withCell(.blob(Array(repeating: 7, count: number % 5))) { blob in
                    (current.cells[0], current.cells[2]) = (text, blob)
                    current.cells[1] = StorageCell(integer: Int64(number))
                    copied.append(Row(layout: layout, copying: current.cells))
                    var packed: [UInt8] = []
                    for index in 0..<3 { PackedValues.append(current[index], to: &packed) }
                    unpacked.append(packed.withUnsafeBytes { Row(layout: layout, unpacking: $0) })
                }
            }
        }
        current.clear()
        XCTAssertTrue(copied.isIdentical(to: unpacked))
        XCTAssertFalse(copied.isIdentical(to: unpacked.dropLast()))
        XCTAssertGreaterThan(copied.byteCount, 2 * lengths.reduce(0, +))
        var held = HeldRows(unpacked, current: current)
        for (number, length) in lengths.enumerated() {
            XCTAssertTrue(held.moveNext())
            XCTAssertEqual(current[0].value, .text(String(repeating: "é", count: length)))
            XCTAssertEqual(current[1].value, .integer(Int64(number)))
            XCTAssertEqual(current[2].value, .blob(Array(repeating: 7, count: number % 5)))
        }
        XCTAssertFalse(held.moveNext())
        current.clear()
    }
}
