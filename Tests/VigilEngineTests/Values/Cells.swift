import VigilEngine
import VigilStorage
import XCTest

/// Calls `body` with a cell that holds `value`. Like the cell of a row, it is valid only during the call.
func withCell<T>(_ value: StorageValue, _ body: (StorageCell) throws -> T) rethrows -> T {
    switch value {
    case .null: try body(.null)
    case .integer(let integer): try body(StorageCell(integer: integer))
    case .real(let real): try body(StorageCell(real: real))
    case .text(let text):
        try Array(text.utf8).withUnsafeBytes { try body(StorageCell(borrowingText: $0)) }
    case .blob(let bytes): try bytes.withUnsafeBytes { try body(StorageCell(borrowingBlob: $0)) }
    }
}

/// Asserts that `stored` is read as `expected`, both from a copied value and directly from a cell.
func assertReads<T: DatabaseValueConvertible & StatementColumnConvertible & Equatable>(
    _ stored: StorageValue, as expected: T?, file: StaticString = #filePath, line: UInt = #line
) {
    XCTAssertEqual(T.fromDatabaseValue(DatabaseValue(stored)), expected, "copied", file: file, line: line)
    XCTAssertEqual(withCell(stored) { T.fromCell($0) }, expected, "in place", file: file, line: line)
}

/// Asserts that `value` is stored as `stored`, and can be read back.
func assertStores<T: DatabaseValueConvertible & StatementColumnConvertible & Equatable>(
    _ value: T, as stored: StorageValue, file: StaticString = #filePath, line: UInt = #line
) {
    let databaseValue = value.databaseValue
    XCTAssertTrue(
        databaseValue.isIdentical(to: DatabaseValue(stored)), "\(databaseValue)", file: file, line: line)
    assertReads(stored, as: value, file: file, line: line)
}
