import Vigil
import XCTest

/// Observations of virtual tables that read other tables with statements that they keep.
final class VirtualTableObservationTests: XCTestCase {
    private struct Case {
        var name: String
        var schema: String
        var query: String
        /// Changes of a table that the query does not name, each with the next result.
        var changes: [(sql: String, result: [String])]
    }

    private static let notes = """
        CREATE TABLE note(id INTEGER PRIMARY KEY, text);
        INSERT INTO note VALUES (1, 'one'), (2, 'two');
        """

    /// The index of a full-text table with external content is not updated by changes of the content.
    private static let renamings = [
        ("UPDATE note SET text = 'uno' WHERE id = 1", ["uno"]),
        ("UPDATE note SET text = 'eins' WHERE id = 1", ["eins"]),
        ("UPDATE note SET text = 'un' WHERE id = 1", ["un"]),
    ]

    private let cases = [
        Case(
            name: "FTS4 with external content",
            schema: notes + """
                CREATE VIRTUAL TABLE doc USING fts4(content='note', text);
                INSERT INTO doc(doc) VALUES ('rebuild');
                """, query: "SELECT text FROM doc WHERE doc MATCH 'one'", changes: renamings),
        Case(
            name: "FTS5 with external content",
            schema: notes + """
                CREATE VIRTUAL TABLE doc USING fts5(text, content='note', content_rowid='id');
                INSERT INTO doc(doc) VALUES ('rebuild');
                """, query: "SELECT text FROM doc WHERE doc MATCH 'one'", changes: renamings),
        Case(
            name: "fts4aux",
            schema: """
                CREATE VIRTUAL TABLE doc USING fts4(text); INSERT INTO doc VALUES ('one');
                CREATE VIRTUAL TABLE terms USING fts4aux(doc);
                """, query: "SELECT term FROM terms WHERE col = '*'",
            changes: [
                ("INSERT INTO doc VALUES ('two')", ["one", "two"]),
                ("INSERT INTO doc VALUES ('three')", ["one", "three", "two"]),
                ("INSERT INTO doc VALUES ('four')", ["four", "one", "three", "two"]),
            ]),
        Case(
            name: "FTS4 with a truncated content table",
            schema: "CREATE VIRTUAL TABLE doc USING fts4(text); INSERT INTO doc VALUES ('one')",
            query: "SELECT text FROM doc",
            changes: [
                ("DELETE FROM doc_content", []),
                ("INSERT INTO doc VALUES ('two')", ["two"]),
                ("DELETE FROM doc_content", []),
            ]),
    ]

    /// Runs a body on each kind of writer, for each case that its library supports.
    private func onEachCase(
        _ configuration: Configuration = Configuration(), _ body: (Case, any DatabaseWriter) throws -> Void
    ) throws {
        for one in cases {
            try onMemoryQueueAndPool(configuration, schema: "") { writer in
                do {
                    try writer.run(one.schema)
                } catch let error as DatabaseError where error.message?.hasPrefix("no such module") == true {
                    return
                }
                try body(one, writer)
            }
        }
    }

    private func observe(_ query: String, in writer: any DatabaseWriter) -> (
        Values<[String]>, AnyDatabaseCancellable
    ) {
        let values = Values<[String]>()
        let cancellable = ValueObservation.tracking { db in try String.fetchAll(db, sql: query) }
            .start(
                in: writer, scheduling: .inline, onError: { XCTFail("\($0)") },
                onChange: { values.append($0) })
        return (values, cancellable)
    }

    func testChangesAreObservedAfterEachFetch() throws {
        try onEachCase { one, writer in
            let (values, cancellable) = observe(one.query, in: writer)
            try writer.waitForFetches()
            for change in one.changes {
                try writer.run(change.sql)
                try writer.waitForFetches()
                XCTAssertEqual(values.all.last, change.result, "\(one.name): \(change.sql)")
            }
            cancellable.cancel()
        }
    }

    /// The statements of the virtual table are compiled during the fetch of the first observation.
    ///
    /// - Parameter statement: a statement to run after the first observation.
    private func assertLaterObservationsAreNotified(after statement: String? = nil) throws {
        var configuration = Configuration()
        configuration.maximumReaderCount = 1
        try onEachCase(configuration) { one, writer in
            let first = observe(one.query, in: writer)
            try writer.waitForFetches()
            first.1.cancel()
            try writer.waitForFetches()
            if let statement { try writer.run(statement) }
            for change in one.changes {
                // Another text, so that the statement is compiled again.
                let (values, cancellable) = observe(one.query + " -- \(change.sql)", in: writer)
                try writer.waitForFetches()
                try writer.run(change.sql)
                try writer.waitForFetches()
                XCTAssertEqual(values.all.last, change.result, "\(one.name): \(change.sql)")
                cancellable.cancel()
                try writer.waitForFetches()
            }
        }
    }

    func testChangesAreObservedByLaterObservationsOnTheSameConnection() throws {
        try assertLaterObservationsAreNotified()
    }

    func testChangesAreObservedAfterTheCreationOfAnExistingTable() throws {
        try assertLaterObservationsAreNotified(after: "CREATE TABLE IF NOT EXISTS doc(a)")
    }
}
