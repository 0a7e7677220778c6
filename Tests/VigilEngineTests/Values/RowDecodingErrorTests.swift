import VigilEngine
import VigilStorage
import XCTest

final class RowDecodingErrorTests: XCTestCase {
    private let context = RowDecodingError.Context(
        columnName: "score", columnIndex: 2, sql: "SELECT * FROM player WHERE name = ?;",
        arguments: ["secret"])

    func testDescriptionContainsColumnKindAndSQLButNoValue() {
        XCTAssertThrowsError(try Int.decode("private".databaseValue, context: context)) { error in
            XCTAssertEqual(
                "\(error)",
                #"could not decode Int from a text value - column: "score", column index: 2, "#
                    + "sql: `SELECT * FROM player WHERE name = ?`")
        }
    }

    func testDescriptionContainsPublicArguments() {
        var context = context
        context.publicStatementArguments = true
        let error = RowDecodingError.valueMismatch(String.self, kind: .integer, context)
        XCTAssertTrue(error.description.hasPrefix("could not decode String from an integer value"))
        XCTAssertTrue(error.description.hasSuffix(#", arguments: ["secret"]"#), error.description)
    }

    func testDescriptionNamesNull() {
        XCTAssertThrowsError(try withCell(.null) { try String.decode(cell: $0, context: .init()) }) { error in
            XCTAssertEqual("\(error)", "could not decode String from NULL")
        }
    }

    func testNullIsDecodedAsOptional() throws {
        XCTAssertNil(try withCell(.null) { try Int?.decode(cell: $0, context: .init()) })
        XCTAssertNil(try Int?.decode(.null, context: .init()))
        XCTAssertEqual(try withCell(.integer(1)) { try Int.decode(cell: $0, context: .init()) }, 1)
        XCTAssertEqual(try Int.decode(1.databaseValue, context: .init()), 1)
    }

    func testDescriptionNamesMissingColumnsAndKeys() {
        let column = RowDecodingError(.columnNotFound("scor"), .init(sql: "SELECT 1"))
        XCTAssertEqual(column.description, #"column not found: "scor" - sql: `SELECT 1`"#)
        XCTAssertEqual(RowDecodingError(.keyNotFound("team")).description, #"key not found: "team""#)
    }
}
