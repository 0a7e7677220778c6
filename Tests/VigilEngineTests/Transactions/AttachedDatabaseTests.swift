import Vigil
import XCTest

/// Databases that are attached and detached while queries are observed.
///
/// The attached databases are not encrypted, even if the main database is.
final class AttachedDatabaseTests: XCTestCase {
    private let log = "SELECT CAST(a AS TEXT) FROM other.log"

    /// Creates a database with a table `log` that has the row `one`.
    private func makeDatabase(_ writer: any DatabaseWriter, _ directory: TemporaryDirectory) throws {
        try writer.run("ATTACH '\(directory.file("one"))' AS made KEY ''")
        try writer.run("CREATE TABLE made.log(a); INSERT INTO made.log VALUES ('one')")
        try writer.run("DETACH made")
    }

    private func observe(
        _ writer: any DatabaseWriter, _ values: Values<String?>, writing: Bool = false
    ) -> AnyDatabaseCancellable {
        var observation = ValueObservation.tracking { [log] db in try? String.fetchOne(db, sql: log) }
        observation.requiresWriteAccess = writing
        return observation.start(
            in: writer, scheduling: .inline, onError: { XCTFail("\($0)") }, onChange: { values.append($0) })
    }

    func testTablesAppearAndDisappearWithTheirDatabase() throws {
        try onEachWriter(schema: "") { writer in
            let directory = try TemporaryDirectory()
            try makeDatabase(writer, directory)
            try writer.run("ATTACH '\(directory.file("one"))' AS other KEY ''")
            let values = Values<String?>()
            // Only the writer of a pool has attached the database.
            let cancellable = observe(writer, values, writing: true)
            try writer.waitForFetches()
            try writer.run("DETACH other")
            try writer.waitForFetches()
            try writer.run("ATTACH '\(directory.file("one"))' AS other KEY ''")
            try writer.waitForFetches()
            XCTAssertEqual(values.all, ["one", nil, "one"])
            cancellable.cancel()
        }
    }

    func testARollbackLeavesADatabaseAttached() throws {
        for (begin, end) in [("BEGIN", "ROLLBACK"), ("BEGIN; SAVEPOINT a", "ROLLBACK TO a; COMMIT")] {
            try onEachWriter(schema: "") { writer in
                let directory = try TemporaryDirectory()
                try makeDatabase(writer, directory)
                let values = Values<String?>()
                let cancellable = observe(writer, values, writing: true)
                try writer.waitForFetches()
                let isAttached = try writer.writeWithoutTransaction { db in
                    try db.execute(sql: begin)
                    // Old libraries refuse to attach inside a transaction.
                    let result = Result {
                        try db.execute(sql: "ATTACH '\(directory.file("one"))' AS other KEY ''")
                    }
                    try db.execute(sql: end)
                    return (try? result.get()) != nil
                }
                try writer.waitForFetches()
                XCTAssertEqual(values.all.last, isAttached ? "one" : String?.none, begin)
                cancellable.cancel()
            }
        }
    }

    func testAReaderOfAPoolAttachesADatabase() throws {
        var configuration = Configuration()
        configuration.maximumReaderCount = 1
        try onEachPool(configuration) { pool, _ in
            let directory = try TemporaryDirectory()
            try makeDatabase(pool, directory)
            let values = Values<String?>()
            let cancellable = observe(pool, values)
            try pool.waitForFetches()
            try pool.unsafeRead { db in
                try db.execute(sql: "ATTACH '\(directory.file("one"))' AS other KEY ''")
            }
            try pool.waitForFetches()
            XCTAssertEqual(values.all, [nil, "one"])
            cancellable.cancel()
        }
    }
}
