import Vigil
import XCTest

final class RowMakingTests: XCTestCase {
    func testLiteralKeepsOrderAndDuplicateNames() {
        let row: Row = ["b": 1, "a": nil, "b": "x"]
        XCTAssertEqual(Array(row.columnNames), ["b", "a", "b"])
        XCTAssertEqual(Array(row.databaseValues), [1.databaseValue, .null, "x".databaseValue])
        XCTAssertEqual(row.count, 3)
    }

    func testRowCanBeCreatedFromDictionary() {
        let dictionary: [String: (any DatabaseValueConvertible)?] = ["a": 1, "b": nil]
        let row = Row(dictionary)
        XCTAssertEqual(Set(row.columnNames), ["a", "b"])
        XCTAssertEqual(row["a"] as Int, 1)
        XCTAssertTrue(row.hasNull(atIndex: row[0] == nil ? 0 : 1))
    }

    func testRowCanBeCreatedFromUntypedDictionaryOfConvertibleValues() throws {
        let row = try XCTUnwrap(Row(["a": 1, "b": "x"] as [AnyHashable: Any]))
        XCTAssertEqual(row["b"] as String, "x")
        XCTAssertNil(Row([1: "x"] as [AnyHashable: Any]))
        XCTAssertNil(Row(["a": self] as [AnyHashable: Any]))
    }

    func testRowCanHaveNoColumns() {
        XCTAssertTrue(Row().isEmpty)
        XCTAssertEqual(Row(), [:])
        XCTAssertEqual("\(Row())", "[]")
    }

    func testRowIsACollectionOfColumns() {
        let row: Row = ["a": 1, "b": "x"]
        XCTAssertEqual(row.map { "\($0.0)=\($0.1)" }, ["a=1", "b=\"x\""])
        XCTAssertEqual(row.last?.0, "b")
        XCTAssertEqual(row[row.index(after: row.startIndex)].1, "x".databaseValue)
    }

    func testDescriptionQuotesTextAndShowsSizeOfBlobs() {
        let row: Row = [
            "id": 1, "name": "Arthur \"x\"", "team": nil, "photo": [1, 2].databaseData, "x": 1.5,
        ]
        XCTAssertEqual(
            row.description, #"[id:1 name:"Arthur \"x\"" team:NULL photo:Data(2 bytes) x:1.5]"#)
        XCTAssertEqual(row.debugDescription, row.description)
    }

    func testEqualityRequiresTheSameColumnsInTheSameOrder() {
        let row: Row = ["a": 1, "b": "x"]
        XCTAssertEqual(row, ["a": 1.0, "b": "x"])
        XCTAssertEqual(Set([row, ["a": 1, "b": "x"]]).count, 1)
        for other in [["b": "x", "a": 1], ["a": 1], ["a": 2, "b": "x"], ["A": 1, "b": "x"], [:]] as [Row] {
            XCTAssertNotEqual(row, other)
        }
    }
}

extension [UInt8] {
    fileprivate var databaseData: DatabaseValue { DatabaseValue(.blob(self)) }
}
