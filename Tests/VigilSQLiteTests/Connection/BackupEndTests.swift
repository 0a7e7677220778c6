import VigilStorage
import XCTest

/// The end of copies, with each backend.
final class BackupEndTests: XCTestCase {
    /// Calls `body` with a source, a destination, and a copy that has begun.
    private func onEachCopy(
        _ body: (_ destination: any StorageConnection, _ copy: inout (any StorageBackup)?, _ name: String)
            throws
            -> Void
    ) throws {
        for named in NamedBackend.all {
            let directory = try TemporaryDirectory()
            let source = try named.backend.open(
                .file(path: directory.file("a")), options: StorageOptions())
            try source.run("CREATE TABLE t(x, y, z); INSERT INTO t VALUES (1, zeroblob(20000), 3)")
            let destination = try named.backend.open(
                .file(path: directory.file("b")), options: StorageOptions())
            try destination.run("CREATE TABLE t(a); INSERT INTO t VALUES (0)")
            var copy: (any StorageBackup)? =
                try XCTUnwrap(source as? any EmbeddedConnection).beginBackup(to: destination)
            try body(destination, &copy, named.name)
            copy = nil
            try destination.close()
            try source.close()
        }
    }

    func testTheDestinationCannotBeClosedDuringACopy() throws {
        try onEachCopy { destination, copy, name in
            XCTAssertFalse(try XCTUnwrap(copy?.copy(pageCount: 1)), name)
            XCTAssertThrowsError(try destination.close()) { error in
                XCTAssertEqual((error as? StorageError)?.code, .busy, name)
                XCTAssertEqual(
                    (error as? StorageError)?.message,
                    "the database is being replaced by a backup: finish it before you close", name)
            }
            // The copy still uses the destination.
            XCTAssertFalse(try XCTUnwrap(copy?.copy(pageCount: 1)), name)
            try copy?.finish()
            XCTAssertEqual(try destination.run("SELECT * FROM t"), [[.integer(0)]], name)
        }
    }

    func testAReleasedCopyDiscardsTheMetadataOfTheDestination() throws {
        try onEachCopy { destination, copy, name in
            let log = EventLog()
            destination.report(to: log, interest: .changes)
            try destination.run("UPDATE t SET a = 1")
            XCTAssertTrue(log.take().contains { $0.hasPrefix("update t 1") }, name)
            XCTAssertTrue(try XCTUnwrap(copy?.copy(pageCount: -1)), name)
            copy = nil
            XCTAssertEqual(
                try destination.table("t", in: "main")?.columns.map(\.name), ["x", "y", "z"], name)
            try destination.run("UPDATE t SET z = 4")
            XCTAssertTrue(log.take().contains { $0.hasPrefix("update t 1") }, name)
        }
    }
}
