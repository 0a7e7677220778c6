#if PostgreSQL
    import VigilStorage
    import XCTest

    @testable import VigilPostgres

    final class PostgresStatementTests: PostgresTestCase {
        func testColumnsAndParametersAreKnownBeforeTheRun() throws {
            let connection = try open()
            let statement = try connection.statement("SELECT 1 AS a, :x::int AS b")
            XCTAssertEqual(statement.columnNames, ["a", "b"])
            XCTAssertEqual(statement.row.count, 2)
            XCTAssertEqual(statement.parameterCount, 1)
            XCTAssertEqual(statement.parameterName(at: 1), ":x")
            XCTAssertNil(statement.parameterName(at: 2))
            try statement.bind(.integer(3), at: 1)
            XCTAssertEqual(statement.expandedSQL, "SELECT 1 AS a, 3::int AS b")
            assertThrows(.range, try statement.bind(.null, at: 2))
            XCTAssertEqual(try statement.allRows(), [[.integer(1), .integer(3)]])
            statement.finalize()
        }

        func testStatementsRunAgainWithOtherValues() throws {
            let connection = try open()
            for isCached in [false, true] {
                let statement = try connection.statement("SELECT ?::int", isCached: isCached)
                XCTAssertEqual(try statement.allRows(), [[.null]])
                for value in [1, 2] as [Int64] {
                    try statement.bind(.integer(value), at: 1)
                    XCTAssertEqual(try statement.allRows(), [[.integer(value)]])
                }
                statement.clearBindings()
                XCTAssertEqual(try statement.allRows(), [[.null]])
                statement.finalize()
            }
        }

        func testSeveralStatementsRunAtTheSameTime() throws {
            let connection = try open()
            let outer = try connection.statement("SELECT n FROM generate_series(1, 3) n")
            let inner = try connection.statement("SELECT ? * 10 FROM generate_series(1, 2)")
            var values: [StorageValue] = []
            while try outer.step() {
                try inner.bind(outer.row[0].value, at: 1)
                while try inner.step() { values.append(inner.row[0].value) }
                XCTAssertEqual(try connection.execute("SELECT 1"), [[.integer(1)]])
            }
            XCTAssertEqual(values, [10, 10, 20, 20, 30, 30].map { .integer($0) })
        }

        func testStatementsAreClosedWithTheConnection() throws {
            let connection = try open()
            let statement = try connection.statement("SELECT 1")
            assertThrows(.busy, try connection.close())
            statement.finalize()
            try connection.close()
            try connection.close()
            assertThrows(.misuse, try connection.execute("SELECT 1"))
            assertThrows(.misuse, try connection.perform(.beginDeferred))
            assertThrows(.misuse, try connection.foreignChangeToken())
            XCTAssertFalse(connection.isInTransaction)
        }

        private func preparedCount(_ connection: PostgresConnection) throws -> Int64 {
            let rows = try connection.execute(
                "SELECT count(*) FROM pg_prepared_statements WHERE name LIKE 'vigil%'")
            guard case .integer(let count)? = rows.first?.first else { return -1 }
            return count
        }

        func testReleasedStatementsAreDeallocated() throws {
            let connection = try open()
            let kept = try connection.statement("SELECT 'kept'", isCached: true)
            func run(_ number: Int) throws {
                let statement = try connection.statement("SELECT \(number)", isCached: true)
                XCTAssertEqual(try statement.allRows(), [[.integer(Int64(number))]])
                statement.finalize()
            }
            for number in 0..<100 { try run(number) }
            XCTAssertLessThan(try preparedCount(connection), 20)
            // Accesses are transactions.
            for number in 0..<100 {
                try connection.perform(.beginImmediate)
                try run(number)
                try connection.perform(.commit)
            }
            XCTAssertLessThan(try preparedCount(connection), 20)
            for command in [TransactionCommand.beginImmediate, .beginDeferred] {
                try connection.perform(command)
                for number in 0..<300 { try run(number) }
                XCTAssertLessThan(try preparedCount(connection), 70)
                try connection.perform(.rollback)
            }
            try connection.beginSnapshot()
            for number in 0..<300 { try run(number) }
            XCTAssertLessThan(try preparedCount(connection), 70)
            try connection.perform(.commit)
            XCTAssertEqual(try kept.allRows(), [[.text("kept")]])
            kept.finalize()
        }

        func testStatementsThatTheProgramDeallocatedDoNotEndATransaction() throws {
            let connection = try open()
            try connection.execute(
                """
                CREATE TABLE t (a int);
                CREATE FUNCTION forget() RETURNS void LANGUAGE plpgsql AS 'BEGIN EXECUTE ''DEALLOCATE ALL''; END'
                """)
            func releaseStatements() throws {
                for number in 0..<100 {
                    let statement = try connection.statement("SELECT \(number)", isCached: true)
                    XCTAssertEqual(try statement.allRows(), [[.integer(Int64(number))]])
                    if number == 40 { try connection.execute("SELECT forget()") }
                    statement.finalize()
                }
            }
            try connection.perform(.beginImmediate)
            try connection.execute("INSERT INTO t VALUES (1)")
            try releaseStatements()
            try connection.perform(.commit)
            try connection.beginSnapshot()
            try connection.execute("SET LOCAL statement_timeout = 12345")
            try releaseStatements()
            XCTAssertEqual(
                try connection.execute("SELECT current_setting('statement_timeout')"), [[.text("12345ms")]])
            XCTAssertEqual(try connection.execute("SELECT a FROM t"), [[.integer(1)]])
            try connection.perform(.commit)
        }

        func testStatementsSurviveTheirDeallocation() throws {
            let connection = try open()
            let statement = try connection.statement("SELECT 1", isCached: true)
            try connection.execute("DISCARD ALL")
            XCTAssertEqual(try statement.allRows(), [[.integer(1)]])
            XCTAssertNotNil(try connection.table("pg_class", in: nil))
            try connection.execute("DEALLOCATE ALL")
            XCTAssertNotNil(try connection.table("pg_class", in: nil))
            statement.finalize()
        }

        func testQueriesOfTheDriverSurviveTheirDeallocation() throws {
            let connection = try open()
            try connection.execute(
                "CREATE FUNCTION forget() RETURNS void LANGUAGE plpgsql AS 'BEGIN EXECUTE ''DEALLOCATE ALL''; END'"
            )
            func find() throws -> StorageTable? { try connection.table("pg_class", in: nil) }
            XCTAssertNotNil(try find())
            try connection.execute("SELECT forget()")
            XCTAssertNotNil(try find())
            try connection.execute("SELECT forget()")
            try connection.perform(.beginImmediate)
            XCTAssertNotNil(try find())
            XCTAssertTrue(connection.isInTransaction)
            // Earlier statements of a transaction cannot be repeated.
            try connection.execute("SELECT forget()")
            assertThrows(.error, sqlState: "26000", try find())
            try connection.perform(.rollback)
            XCTAssertNotNil(try find())
            try connection.beginSnapshot()
            try connection.execute("SELECT forget()")
            XCTAssertNotNil(try find())
            try connection.perform(.commit)
        }

        func testColumnsFollowTheSchema() throws {
            let (connection, other) = (try open(), try open())
            try connection.execute("CREATE TABLE t (a int); INSERT INTO t VALUES (1)")
            let statement = try connection.statement("SELECT * FROM t", isCached: true)
            XCTAssertEqual(try statement.allRows(), [[.integer(1)]])
            let row = statement.row
            try other.execute("ALTER TABLE t ADD COLUMN b int DEFAULT 2")
            XCTAssertEqual(try statement.allRows(), [[.integer(1), .integer(2)]])
            XCTAssertEqual(statement.columnNames, ["a", "b"])
            XCTAssertFalse(statement.row === row)
            try other.execute("ALTER TABLE t ADD COLUMN c int DEFAULT 3")
            try connection.beginSnapshot()
            XCTAssertEqual(try statement.allRows(), [[.integer(1), .integer(2), .integer(3)]])
            try connection.perform(.rollback)
            try other.execute("ALTER TABLE t ADD COLUMN d int DEFAULT 4")
            try connection.beginSnapshot()
            try connection.execute("SELECT 1")
            XCTAssertEqual(try statement.allRows(), [[.integer(1), .integer(2), .integer(3), .integer(4)]])
            try connection.perform(.rollback)
            statement.finalize()
        }

        func testErrorsNameTheStatementAndTheState() throws {
            let connection = try open()
            try connection.execute(
                """
                CREATE TABLE parent (id int PRIMARY KEY);
                CREATE TABLE t (a int PRIMARY KEY, b int NOT NULL CHECK (b > 0), p int REFERENCES parent);
                INSERT INTO t VALUES (1, 1)
                """)
            let cases: [(String, Int32, String)] = [
                ("SELECT * FROM missing", 1, "42P01"), ("SELEKT 1", 1, "42601"), ("SELECT 1 / 0", 1, "22012"),
                ("INSERT INTO t VALUES (1, 1)", 2067, "23505"),
                ("INSERT INTO t VALUES (2, NULL)", 1299, "23502"),
                ("INSERT INTO t VALUES (2, 0)", 275, "23514"),
                ("INSERT INTO t VALUES (2, 1, 7)", 787, "23503"),
                ("SET TRANSACTION READ ONLY; INSERT INTO t VALUES (3, 1)", 8, "25006"),
            ]
            for (sql, code, state) in cases {
                try connection.perform(.beginDeferred)
                XCTAssertThrowsError(try connection.execute(sql), sql) { error in
                    let error = error as? StorageError
                    XCTAssertEqual(error?.code.rawValue, code, sql)
                    XCTAssertEqual(error?.sqlState, state, sql)
                    XCTAssertTrue(sql.hasSuffix(error?.sql ?? "-"), sql)
                }
                assertThrows(.abort, sqlState: "25P02", try connection.execute("SELECT 1"))
                XCTAssertTrue(connection.isInTransaction)
                try connection.perform(.rollback)
            }
        }

        /// Earlier servers report it as a violation of the foreign key.
        func testARestrictedDeletionViolatesTheForeignKey() throws {
            XCTAssertEqual(SQLState("23001").code, .init(rawValue: 787))
            let connection = try open()
            try connection.execute(
                """
                CREATE TABLE parent (id int PRIMARY KEY); INSERT INTO parent VALUES (1);
                CREATE TABLE t (p int REFERENCES parent ON DELETE RESTRICT); INSERT INTO t VALUES (1)
                """)
            assertThrows(.init(rawValue: 787), try connection.execute("DELETE FROM parent"))
        }

        /// A later snapshot is new enough.
        func testASnapshotThatIsTooOldIsAnErrorOfTheMoment() throws {
            let connection = try open()
            try connection.execute(
                """
                CREATE FUNCTION fail() RETURNS void LANGUAGE plpgsql AS
                    'BEGIN RAISE ''snapshot too old'' USING ERRCODE = ''72000''; END'
                """)
            XCTAssertThrowsError(try connection.execute("SELECT fail()")) { error in
                XCTAssertEqual((error as? StorageError)?.sqlState, "72000")
                XCTAssertEqual((error as? StorageError)?.isTransient, true)
            }
        }

        func testConcurrentChangesOfTheCatalogAreNoCorruption() throws {
            XCTAssertEqual(SQLState("XX001").code, .corrupt)
            let connection = try open()
            try connection.execute(
                """
                CREATE FUNCTION fail() RETURNS void LANGUAGE plpgsql AS
                    'BEGIN RAISE ''tuple concurrently updated'' USING ERRCODE = ''XX000''; END'
                """)
            assertThrows(.init(rawValue: 2), sqlState: "XX000", try connection.execute("SELECT fail()"))
        }

        func testErrorsQuoteNoPartOfABoundValue() throws {
            let connection = try open()
            let secret = "s3cr3t"
            let hex = secret.utf8.map { String($0, radix: 16) }.joined()
            let failures: [(sql: String, value: StorageValue)] = [
                ("SELECT ?::int", .text(secret)), ("SELECT ?::int[]", .text("{1,\(secret)}")),
                ("SELECT 1 = ANY (?::int[])", .text(#"{"\#(secret)"}"#)),
                ("SELECT ?::int4range", .text("[1,\(secret))")),
                ("SELECT to_date(?, 'YYYY')", .text(secret)), ("SELECT ?::int", .blob(Array(secret.utf8))),
            ]
            for (sql, value) in failures {
                XCTAssertThrowsError(try connection.execute(sql, [value]), sql) { error in
                    let message = (error as? StorageError)?.message ?? ""
                    XCTAssertTrue(message.contains("\"…\""), message)
                    XCTAssertFalse(message.contains("s3c") || message.contains(hex), message)
                }
            }
        }

        func testFeaturesWithoutCounterpartAreErrorsThatNameThem() throws {
            let connection = try open()
            for (sql, feature) in [
                ("PRAGMA foreign_keys", "PRAGMA"), ("ATTACH 'a' AS b", "ATTACH"),
                ("COPY t FROM STDIN", "COPY"),
                ("COMMIT AND CHAIN", "AND CHAIN"),
            ] {
                XCTAssertThrowsError(try connection.execute(sql)) {
                    XCTAssertTrue("\($0)".contains("\(feature)"), "\($0)")
                    XCTAssertTrue("\($0)".contains("not supported on PostgreSQL"), "\($0)")
                }
            }
        }

        func testChangesAreCounted() throws {
            let connection = try open()
            try connection.execute("CREATE TABLE t (a int); INSERT INTO t SELECT generate_series(1, 5)")
            XCTAssertEqual(connection.changesCount, 5)
            try connection.execute("UPDATE t SET a = 0 WHERE a > 3")
            XCTAssertEqual(connection.changesCount, 2)
            try connection.execute("SELECT * FROM t")
            XCTAssertEqual(connection.changesCount, 2)
            XCTAssertEqual(connection.totalChangesCount, 7)
        }

        func testReadOnlyConnectionsRefuseWrites() throws {
            let connection = try open()
            try connection.execute(
                """
                CREATE TABLE t (a int);
                CREATE FUNCTION f() RETURNS int LANGUAGE sql AS 'INSERT INTO t VALUES (1) RETURNING a'
                """)
            try connection.setReadOnly(true)
            assertThrows(.readOnly, try connection.execute("INSERT INTO t VALUES (1)"))
            assertThrows(.readOnly, sqlState: "25006", try connection.execute("SELECT f()"))
            try connection.perform(.beginDeferred)
            assertThrows(.readOnly, sqlState: "25006", try connection.execute("SELECT f()"))
            try connection.perform(.rollback)
            try connection.setReadOnly(false)
            XCTAssertEqual(try connection.execute("SELECT f()"), [[.integer(1)]])
            var options = StorageOptions()
            options.access = .readOnly
            let reader = try open(options)
            assertThrows(.readOnly, try reader.execute("INSERT INTO t VALUES (1)"))
            assertThrows(.readOnly, sqlState: "25006", try reader.execute("SELECT f()"))
            XCTAssertEqual(try reader.execute("SELECT * FROM t"), [[.integer(1)]])
        }
    }
#endif
