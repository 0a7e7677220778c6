#if PostgreSQL
    import VigilStorage
    import XCTest

    @testable import VigilPostgres

    final class PostgresValueTests: PostgresTestCase {
        /// A type, a value that is bound, and the value that is read; `nil` if it is the same.
        private static let roundTrips: [(type: String, bound: StorageValue, read: StorageValue?)] = [
            ("boolean", .integer(1), nil), ("boolean", .integer(0), nil),
            ("boolean", .text("true"), .integer(1)),
            ("smallint", .integer(-32768), nil), ("integer", .integer(2_147_483_647), nil),
            ("bigint", .integer(.min), nil), ("bigint", .integer(.max), nil),
            ("integer", .real(3), .integer(3)),
            ("oid", .integer(4_294_967_295), nil),
            ("real", .real(1.5), nil), ("double precision", .real(0.1), nil),
            ("double precision", .real(.leastNonzeroMagnitude), nil),
            ("double precision", .real(1.7976931348623157e308), nil),
            ("double precision", .real(.infinity), nil), ("double precision", .real(.nan), .null),
            ("double precision", .integer(7), .real(7)),
            ("numeric", .text("12345678901234567890.50"), nil), ("numeric", .integer(7), nil),
            ("numeric", .real(1.25), .text("1.25")), ("numeric(6,2)", .integer(7), .text("7.00")),
            ("numeric", .text("99999999999999999999"), nil),
            ("text", .text("Ünïcødé ' \" \\ \n"), nil), ("text", .text(""), nil),
            ("text", .integer(5), .text("5")),
            ("text", .blob(Array("abc".utf8)), .text("abc")),
            ("varchar(5)", .text("abc"), nil), ("char(5)", .text("abc"), .text("abc  ")),
            ("name", .text("abc"), nil),
            (#""char""#, .text("x"), nil),
            (
                "uuid", .text("A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11"),
                .text("a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11")
            ),
            ("uuid", .blob(Array(0...15)), .text("00010203-0405-0607-0809-0a0b0c0d0e0f")),
            ("json", .text(#"{"b":1,  "a":[1]}"#), nil),
            ("jsonb", .text(#"{"b":1,  "a":[1]}"#), .text(#"{"a": [1], "b": 1}"#)),
            ("jsonb", .blob(Array("[1]".utf8)), .text("[1]")),
            ("bytea", .blob([0, 1, 127, 128, 255]), nil), ("bytea", .blob([]), nil),
            ("bytea", .text(#"a\b"#), .blob(Array(#"a\b"#.utf8))),
            ("bytea", .blob(Array(repeating: 7, count: 100_000)), nil),
            ("date", .text("2026-02-28"), nil), ("time", .text("12:34:56.789"), nil),
            ("timetz", .text("12:34:56+05:30"), nil),
            ("timetz", .text("12:34:56+05"), .text("12:34:56+05:00")),
            ("timestamp", .text("2026-02-28 12:34:56.789012"), nil),
            ("timestamptz", .text("2026-02-28 12:34:56.789"), .text("2026-02-28 12:34:56.789+00:00")),
            ("timestamptz", .text("2026-02-28 12:34:56-02:00"), .text("2026-02-28 14:34:56+00:00")),
            ("timestamptz", .text("infinity"), nil), ("interval", .text("1 day 02:03:04"), nil),
            ("integer[]", .text("{1,2,NULL}"), nil), ("text[]", .text(#"{a,"b,c"}"#), nil),
            ("inet", .text("192.168.0.1/24"), nil), ("text", .null, nil), ("integer", .null, nil),
            ("bytea", .null, nil),
        ]

        func testValuesOfEachTypeAreReadAsTheyWereBound() throws {
            let connection = try open()
            for (index, (type, bound, read)) in Self.roundTrips.enumerated() {
                try connection.execute("CREATE TABLE t\(index) (a \(type))")
                try connection.execute("INSERT INTO t\(index) VALUES (?)", [bound])
                XCTAssertEqual(
                    try connection.execute("SELECT a FROM t\(index)"), [[read ?? bound]], "\(type) \(bound)")
            }
            try connection.close()
        }

        func testValuesOfDomainsAreThoseOfTheirBaseTypes() throws {
            let connection = try open()
            for (index, (type, bound, read)) in Self.roundTrips.enumerated() {
                try connection.execute("CREATE DOMAIN first\(index) AS \(type)")
                try connection.execute("CREATE DOMAIN second\(index) AS first\(index)")
                try connection.execute("CREATE TABLE t\(index) (a second\(index))")
                for _ in 1...2 {
                    try connection.execute("INSERT INTO t\(index) VALUES (?)", [bound])
                }
                let value = read ?? bound
                XCTAssertEqual(
                    try connection.execute("SELECT a FROM t\(index)"), [[value], [value]],
                    "\(type) \(bound)")
            }
            try connection.close()
        }

        func testSeveralDecodedValuesShareARow() throws {
            let connection = try open()
            let statement = try connection.statement(
                """
                SELECT n::bool, decode(repeat('ab', n), 'hex'), n, 'x' || n, timestamptz '2026-01-01' + n * interval '1 h',
                decode('ff', 'hex') FROM generate_series(0, 3) n
                """)
            let rows = try statement.allRows()
            XCTAssertEqual(rows.count, 4)
            XCTAssertEqual(
                rows[3],
                [
                    .integer(1), .blob([0xab, 0xab, 0xab]), .integer(3), .text("x3"),
                    .text("2026-01-01 03:00:00+00:00"), .blob([0xff]),
                ])
            statement.finalize()
        }

        func testFunctionsWithoutResultReturnNull() throws {
            XCTAssertEqual(try open().execute("SELECT pg_sleep(0)"), [[.null]])
        }

        func testValuesThatTheServerCannotStoreAreErrors() throws {
            let connection = try open()
            try connection.execute("CREATE TABLE t (a text, b integer)")
            assertThrows(.error, try connection.execute("INSERT INTO t (a) VALUES (?)", [.text("a\0b")]))
            assertThrows(.error, try connection.execute("INSERT INTO t (a) VALUES (?)", [.blob([0xff])]))
            assertThrows(
                .error, sqlState: "22P02",
                try connection.execute("INSERT INTO t (b) VALUES (?)", [.text("x")]))
        }

        func testMessagesHoldNoBoundValues() throws {
            let connection = try open()
            try connection.execute("CREATE TABLE t (a integer PRIMARY KEY)")
            XCTAssertThrowsError(try connection.execute("INSERT INTO t VALUES (?)", [.text("secret")])) {
                XCTAssertFalse("\($0)".contains("secret"), "\($0)")
            }
            try connection.execute("INSERT INTO t VALUES (?)", [.integer(4711)])
            XCTAssertThrowsError(try connection.execute("INSERT INTO t VALUES (?)", [.integer(4711)])) {
                XCTAssertFalse("\($0)".contains("4711"), "\($0)")
            }
            XCTAssertThrowsError(
                try connection.execute("SELECT ?::timestamptz", [.text("2026-02-30 12:00:00.000")])
            ) {
                XCTAssertFalse("\($0)".contains("02-30"), "\($0)")
            }
        }
    }
#endif
