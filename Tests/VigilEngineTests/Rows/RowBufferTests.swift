import VigilLists
import VigilStorage
import XCTest

@testable import VigilEngine

final class RowBufferTests: XCTestCase {
    /// Rows share blocks of memory, and texts of any length stand between their cells.
    func testRowsOfDifferentSizesAreReturnedInOrder() {
        let lengths = [0, 1, 3, 70_000, 5, 8, 200_000, 7, 1] + (0..<300).map { $0 * 13 % 97 }
        let (buffer, row) = (RowBuffer(), StorageRow(count: 3))
        var unpacked = RowBuffer.Content(rowCount: 2)
        for (number, length) in lengths.enumerated() {
            withCell(.text(String(repeating: "é", count: length))) { text in
                withCell(.blob(Array(repeating: 7, count: number % 5))) { blob in
                    row.cells[0] = text
                    row.cells[1] = StorageCell(integer: Int64(number))
                    row.cells[2] = blob
                    buffer.append(row)
                    var packed: [UInt8] = []
                    for index in 0..<3 { PackedValues.append(row[index], to: &packed) }
                    packed.withUnsafeBytes { unpacked.append($0, columnCount: 3) }
                }
            }
        }
        row.clear()
        XCTAssertEqual(buffer.count, lengths.count)
        XCTAssertTrue(RowBuffer(unpacked).isIdentical(to: buffer, columnCount: 3))
        XCTAssertGreaterThan(buffer.byteCount, 2 * lengths.reduce(0, +))
        for (number, length) in lengths.enumerated() {
            XCTAssertTrue(buffer.moveNext(to: row))
            XCTAssertEqual(row[0].value, .text(String(repeating: "é", count: length)))
            XCTAssertEqual(row[1].value, .integer(Int64(number)))
            XCTAssertEqual(row[2].value, .blob(Array(repeating: 7, count: number % 5)))
        }
        XCTAssertFalse(buffer.moveNext(to: row))
        row.clear()
    }
}
