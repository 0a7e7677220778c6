#if PostgreSQL
    import Vigil
    import VigilTestSupport
    import XCTest

    /// Values that the server changes: texts in another encoding, and generated columns.
    final class ConvertedValueTests: PublicationTestCase {
        /// In this encoding, `¦` becomes `￤`.
        override var options: String { "ENCODING 'EUC_JP' LOCALE 'C' TEMPLATE template0" }

        private let tables = """
            CREATE TABLE t (id INT PRIMARY KEY, name TEXT NOT NULL, n INT NOT NULL); ALTER TABLE t REPLICA IDENTITY FULL;
            CREATE FUNCTION twice(int) RETURNS int LANGUAGE plpgsql IMMUTABLE AS
                $$ BEGIN RETURN $1 * current_setting('vigil.factor', true)::int; END $$;
            SET vigil.factor = '2';
            CREATE TABLE g (id INT PRIMARY KEY, a INT, b INT GENERATED ALWAYS AS (twice(a)) STORED, c INT);
            ALTER TABLE g REPLICA IDENTITY FULL;
            INSERT INTO t VALUES (1, '￤', 0), (2, 'x', 0); INSERT INTO g VALUES (1, 5);
            CREATE PUBLICATION vigil FOR TABLE t, g
            """

        private func observe(
            _ sql: String, _ arguments: StatementArguments = [], in dbPool: DatabasePool
        ) -> (Recorder<[Int]>, AnyDatabaseCancellable) {
            let values = Recorder<[Int]>()
            let observation = ValueObservation.tracking { db in
                try Int.fetchAll(db, sql: sql, arguments: arguments)
            }
            let cancellable = observation.start(
                in: dbPool, scheduling: .async(onQueue: .global()), onError: { XCTFail("\($0)") },
                onChange: { values.append($0) })
            return (values, cancellable)
        }

        func testTextsThatBecomeEqualByConversionAreObserved() throws {
            try run(tables)
            let dbPool = try makePrecisePool()
            let sql = "SELECT n FROM t WHERE name = ?"
            let observed = [
                observe(sql, ["¦"], in: dbPool), observe(sql, ["￤"], in: dbPool),
                observe("SELECT n FROM t WHERE name = ANY (?)", ["{¦}"], in: dbPool),
            ]
            for (values, _) in observed { values.wait(last: [0]) }
            for n in 1...3 {
                try dbPool.write { db in try db.execute(sql: "UPDATE t SET n = \(n) WHERE id = 1") }
                for (values, _) in observed { values.wait(last: [n]) }
            }
            for (_, cancellable) in observed { cancellable.cancel() }
            try dbPool.close()
        }

        func testGeneratedColumnsAreObservedWhenNoOtherColumnChanges() throws {
            try run(tables)
            let dbPool = try makePrecisePool()
            let observed = ["SELECT b FROM g", "SELECT b FROM g WHERE a = 5", "SELECT max(b) FROM g"].map {
                observe($0, in: dbPool)
            }
            for (values, _) in observed { values.wait(last: [10]) }
            for factor in 3...5 {
                try dbPool.write { db in
                    try db.execute(sql: "SET LOCAL vigil.factor = '\(factor)'; UPDATE g SET a = a")
                }
                for (values, _) in observed { values.wait(last: [5 * factor]) }
            }
            for (_, cancellable) in observed { cancellable.cancel() }
            try dbPool.close()
        }
    }
#endif
