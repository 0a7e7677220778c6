import VigilLists
import VigilStorage
import XCTest

@testable import VigilEngine

final class RowBufferTests: XCTestCase {
    /// Rows share blocks of memory, and texts of any length stand between their cells.
    func testRowsOfDifferentSizesAreReturnedInOrder() {
        let lengths = [0, 1, 3, 70_000, 5, 8, 200_000, 7, 1] + (0..<300).map { $0 * 13 % 97 }
        let row = StorageRow(count: 3)
        var copied = RowBuffer.Content()
        var packedRows: [[UInt8]] = []
        for (number, length) in lengths.enumerated() {
            withCell(.text(String(repeating: "é", count: length))) { text in
                withCell(.blob(Array(repeating: 7, count: number % 5))) { blob in
                    row.cells[0] = text
                    row.cells[1] = StorageCell(integer: Int64(number))
                    row.cells[2] = blob
                    copied.append(row)
                    var packed: [UInt8] = []
                    for index in 0..<3 { PackedValues.append(row[index], to: &packed) }
                    packedRows.append(packed)
                }
            }
        }
        row.clear()
        let buffer = makeBuffer(&copied)
        var unpacked = RowBuffer.Content(rowCount: 2)
        for row in packedRows { row.withUnsafeBytes { unpacked.append($0, columnCount: 3) } }
        XCTAssertEqual(buffer.count, lengths.count)
        XCTAssertTrue(makeBuffer(&unpacked).isIdentical(to: buffer, columnCount: 3))
        XCTAssertGreaterThan(buffer.byteCount, 2 * lengths.reduce(0, +))
        var held = HeldRows(buffer, row: row)
        for (number, length) in lengths.enumerated() {
            XCTAssertTrue(held.moveNext())
            XCTAssertEqual(row[0].value, .text(String(repeating: "é", count: length)))
            XCTAssertEqual(row[1].value, .integer(Int64(number)))
            XCTAssertEqual(row[2].value, .blob(Array(repeating: 7, count: number % 5)))
        }
        XCTAssertFalse(held.moveNext())
        XCTAssertNil(held.shared(row.cells), "a copied row would keep all others")
        row.clear()
    }

    /// A copied row keeps the memory of a small result.
    func testCopiedRowsShareSmallMemory() throws {
        let row = StorageRow(count: 1)
        var content = RowBuffer.Content(rowCount: 3)
        for number in 0..<3 {
            withCell(.text("row \(number)")) { text in
                row.cells[0] = text
                content.append(row)
            }
        }
        row.clear()
        var held: HeldRows? = HeldRows(makeBuffer(&content), row: row)
        XCTAssertNil(held?.shared(row.cells))
        XCTAssertEqual(held?.moveNext(), true)
        XCTAssertEqual(held?.moveNext(), true)
        XCTAssertNil(held?.shared(StorageRow(count: 1).cells), "another row")
        let shared = try XCTUnwrap(held?.shared(row.cells))
        held = nil
        row.clear()
        XCTAssertEqual(shared.cells[0].value, .text("row 1"))
    }

    /// A variable of a closure cannot be consumed.
    private func makeBuffer(_ content: inout RowBuffer.Content) -> RowBuffer {
        var rows = RowBuffer.Content()
        swap(&rows, &content)
        return RowBuffer(rows)
    }
}
