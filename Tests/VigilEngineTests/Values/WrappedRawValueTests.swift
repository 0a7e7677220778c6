import Vigil
import XCTest

/// A type that is convertible if its raw value is. Swift requires all four lines.
private struct Wrapped<RawValue>: RawRepresentable {
    var rawValue: RawValue

    init(rawValue: RawValue) { self.rawValue = rawValue }
}

extension Wrapped: SQLExpressible where RawValue: SQLExpressible {}
extension Wrapped: StatementBinding where RawValue: StatementBinding {}
extension Wrapped: StatementColumnConvertible where RawValue: StatementColumnConvertible {}
extension Wrapped: DatabaseValueConvertible where RawValue: DatabaseValueConvertible {}

final class WrappedRawValueTests: XCTestCase {
    func testAGenericWrapperIsConvertibleIfItsRawValueIs() throws {
        try DatabaseQueue().write { db in
            try db.execute(sql: "CREATE TABLE t(id TEXT PRIMARY KEY, n INT)")
            try db.execute(
                sql: "INSERT INTO t VALUES (?, ?)", arguments: [Wrapped(rawValue: "a"), Wrapped(rawValue: 7)])
            let id = try XCTUnwrap(Wrapped<String>.fetchOne(db, sql: "SELECT id FROM t"))
            XCTAssertEqual(id.rawValue, "a")
            let row = try XCTUnwrap(Row.fetchOne(db, sql: "SELECT * FROM t WHERE id = ?", arguments: [id]))
            XCTAssertEqual((row["n"] as Wrapped<Int>).rawValue, 7)
            XCTAssertNil(row["missing"] as Wrapped<Int>?)
            let request = Table("t").filter(Column("n") == Wrapped(rawValue: 7)).select(
                Column("id"), as: String.self)
            XCTAssertEqual(try request.fetchAll(db), ["a"])
        }
    }
}
