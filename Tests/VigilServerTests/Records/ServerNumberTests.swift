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

        func testNumericsAreObservedAsNumbers() async throws {
            let dbPool = try makePool()
            let request = SQLRequest<Double>(sql: "SELECT n / 4::numeric FROM generate_series(1, 2) AS g (n)")
            let optional = SQLRequest<Double?>(sql: "SELECT 0.5 UNION ALL SELECT NULL")
            func first<Reducer: ValueReducer>(
                _ observation: ValueObservation<Reducer>
            ) async throws -> Reducer.Value? {
                for try await value in observation.values(in: dbPool) { return value }
                return nil
            }
            let all = try await first(.trackingAll(request))
            XCTAssertEqual(all, [0.25, 0.5])
            let one = try await first(.trackingOne(request))
            XCTAssertEqual(one, 0.25)
            let observed = try await first(request.observationForAll())
            XCTAssertEqual(observed, [0.25, 0.5])
            let observedFirst = try await first(request.observationForFirst())
            XCTAssertEqual(observedFirst, 0.25)
            let withNull = try await first(.trackingAll(optional))
            XCTAssertEqual(withNull, [0.5, nil])
            let list = try await first(.trackingList(request))
            XCTAssertEqual(list.map(Array.init), [0.25, 0.5])
        }

        func testTextIsNotANumber() throws {
            try makePool().read { db in
                XCTAssertThrowsError(try Double.fetchOne(db, sql: "SELECT '1.5'::text"))
                XCTAssertThrowsError(try Int.fetchOne(db, sql: "SELECT '1'::text"))
            }
        }
    }
#endif
