package import Vigil
import XCTest

/// Asserts that `body` throws a `DatabaseError` with a code, and a message if one is given.
package func assertDatabaseError<T>(
    _ code: ResultCode, _ message: String? = nil, file: StaticString = #filePath, line: UInt = #line,
    _ body: () throws -> T
) {
    XCTAssertThrowsError(try body(), file: file, line: line) { error in
        guard let error = error as? DatabaseError else {
            return XCTFail("\(error)", file: file, line: line)
        }
        XCTAssertTrue(
            error.resultCode == code || error.extendedResultCode == code, "\(error)", file: file,
            line: line)
        if let message { XCTAssertEqual(error.message, message, file: file, line: line) }
    }
}
