import VigilStorage
import XCTest

/// The values of reported rows are either the stored values or unknown.
final class RowImageTests: XCTestCase {
    /// Asserts the reports of a statement where the library reports row values.
    private func assertReports(
        _ expected: [String], schema: String, by sql: String, line: UInt = #line
    ) throws {
        for named in NamedBackend.all {
            let connection = try named.backend.open(.memory(name: nil), options: StorageOptions())
            guard connection.capabilities.reportsRowImages else { continue }
            try connection.run(schema)
            let log = EventLog()
            connection.report(to: log, interest: .everyRow)
            try connection.run(sql)
            connection.report(to: nil, interest: .nothing)
            XCTAssertEqual(log.take().filter { $0.contains(" t ") }, expected, named.name, line: line)
        }
    }

    private let grown = """
        CREATE TABLE t(id INTEGER PRIMARY KEY, a TEXT); INSERT INTO t VALUES (1, 'old');
        ALTER TABLE t ADD COLUMN n INTEGER DEFAULT 7; ALTER TABLE t ADD COLUMN e TEXT DEFAULT NULL;
        """

    func testARowOlderThanAColumnIsNotReportedWithNullForTheDefault() throws {
        try assertReports(
            [#"update t 1 from ["1", "old", "-", "NULL"] to ["1", "new", "7", "NULL"]"#], schema: grown,
            by: "UPDATE t SET a = 'new'")
        try assertReports([#"delete t 1 from ["1", "old", "-", "NULL"]"#], schema: grown, by: "DELETE FROM t")
    }

    func testARowCopiedAsStoredIsNotReportedWithNullForTheDefault() throws {
        let schema = """
            CREATE TABLE s(id INTEGER PRIMARY KEY, a TEXT); INSERT INTO s VALUES (1, 'old');
            ALTER TABLE s ADD COLUMN n INTEGER DEFAULT 7;
            CREATE TABLE t(id INTEGER PRIMARY KEY, a TEXT, n INTEGER DEFAULT 7);
            """
        try assertReports(
            [#"insert t 1 to ["1", "old", "-"]"#], schema: schema, by: "INSERT INTO t SELECT * FROM s")
    }

    func testARowWithAllColumnsIsReportedWithAllValues() throws {
        try assertReports(
            [#"update t 2 from ["2", "b", "8", "x"] to ["2", "b", "9", "x"]"#],
            schema: grown + "INSERT INTO t VALUES (2, 'b', 8, 'x');", by: "UPDATE t SET n = 9 WHERE id = 2")
        try assertReports(
            [#"insert t 3 to ["3", "c", "7", "NULL"]"#], schema: grown,
            by: "INSERT INTO t(id, a) VALUES (3, 'c')")
    }

    func testValuesAreReportedAsStored() throws {
        let schema =
            "CREATE TABLE t(id INTEGER PRIMARY KEY, n INTEGER, s TEXT); INSERT INTO t VALUES (1, 2, 'x');"
        for sql in [
            "UPDATE t SET n = '5', s = 5", "REPLACE INTO t VALUES ('1', '5', 5)",
            "INSERT INTO t VALUES ('2', 5.0, 5)",
        ] {
            for named in NamedBackend.all {
                let connection = try named.backend.open(.memory(name: nil), options: StorageOptions())
                guard connection.capabilities.reportsRowImages else { continue }
                try connection.run(schema)
                let sink = LastValuesSink()
                connection.report(to: sink, interest: .everyRow)
                try connection.run(sql)
                connection.report(to: nil, interest: .nothing)
                XCTAssertEqual(sink.values.dropFirst(), [.integer(5), .text("5")], "\(named.name): \(sql)")
            }
        }
    }

    func testIntegersInRealColumnsAreReportedAsEqualNumbers() throws {
        for named in NamedBackend.all {
            let connection = try named.backend.open(.memory(name: nil), options: StorageOptions())
            guard connection.capabilities.reportsRowImages else { continue }
            try connection.run("CREATE TABLE t(id INTEGER PRIMARY KEY, r REAL)")
            let sink = NumberSink()
            connection.report(to: sink, interest: .everyRow)
            try connection.run(
                "INSERT INTO t VALUES (1, 5); UPDATE t SET r = 6; UPDATE t SET id = 2; DELETE FROM t")
            connection.report(to: nil, interest: .nothing)
            XCTAssertEqual(sink.old, [[1, 5], [1, 6], [2, 6]], named.name)
            XCTAssertEqual(sink.new, [[1, 5], [1, 6], [2, 6]], named.name)
        }
    }
}

/// Records the values of rows that contain only numbers.
private final class NumberSink: ChangeSink {
    private(set) var old: [[Double]] = []
    private(set) var new: [[Double]] = []

    func didChange(_ event: ChangeEvent) {
        guard case .row(let change) = event, let images = change.images else { return }
        func numbers(_ value: (Int) -> StorageCell?) -> [Double] {
            images.columnNames.indices.compactMap { index in
                switch value(index)?.value {
                case .integer(let integer): Double(integer)
                case .real(let real): real
                default: nil
                }
            }
        }
        if change.kind != .insert { old.append(numbers(images.oldValue(at:))) }
        if change.kind != .delete { new.append(numbers(images.newValue(at:))) }
    }

    func willCommit() -> Bool { true }

    func didRollback() {}
}

/// Records the new values of the last row.
private final class LastValuesSink: ChangeSink {
    private(set) var values: [StorageValue] = []

    func didChange(_ event: ChangeEvent) {
        guard case .row(let change) = event, change.kind != .delete, let images = change.images else {
            return
        }
        values = images.columnNames.indices.compactMap { images.newValue(at: $0)?.value }
    }

    func willCommit() -> Bool { true }

    func didRollback() {}
}
