#if PostgreSQL
    import Foundation
    import Vigil
    import XCTest

    private struct Price: Decodable, FetchableRecord, Equatable {
        var exact: Decimal
        var rounded: Double
        var whole: Int
    }

    /// Values of the type `numeric`.
    final class ServerNumberTests: ServerTestCase {
        func testNumericsAreExactAsDecimalAndRoundedAsDouble() throws {
            let price = try makePool().read { db in
                try Price.fetchOne(
                    db,
                    sql: """
                        SELECT 12345678901234567.8901234567::numeric AS exact, AVG(n) AS rounded, AVG(n) AS whole
                        FROM (VALUES (1), (2), (2)) AS v (n)
                        """)
            }
            XCTAssertEqual(
                price,
                Price(
                    exact: try XCTUnwrap(Decimal(string: "12345678901234567.8901234567")), rounded: 5.0 / 3,
                    whole: 1))
        }

        func testNumericsInCopiedRowsAreStillNumbers() throws {
            let rows = try makePool().read { db in
                try Row.fetchAll(db, sql: "SELECT n / 4::numeric AS n FROM generate_series(1, 2) AS g (n)")
            }
            XCTAssertEqual(rows.map { $0["n"] as Double }, [0.25, 0.5])
            XCTAssertEqual(rows.map { $0.copy()["n"] as Double? }, [0.25, 0.5])
            XCTAssertEqual(rows.map { $0["n"] as Decimal }, [0.25, 0.5])
        }

        func testTextIsNotANumber() throws {
            try makePool().read { db in
                XCTAssertThrowsError(try Double.fetchOne(db, sql: "SELECT '1.5'::text"))
                XCTAssertThrowsError(try Int.fetchOne(db, sql: "SELECT '1'::text"))
            }
        }
    }
#endif
