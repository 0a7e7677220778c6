import Foundation
import Vigil
import XCTest

final class CopyTests: XCTestCase {
    private typealias Copy = (String, Configuration) throws -> DatabaseQueue

    private let copies: [(String, Copy)] = [
        ("in memory", { try DatabaseQueue.inMemoryCopy(fromPath: $0, configuration: $1) }),
        ("in a temporary file", { try DatabaseQueue.temporaryCopy(fromPath: $0, configuration: $1) }),
    ]

    /// Runs a test with a file that has three rows, for each backend and kind of copy.
    private func onEachCopy(_ body: (String, Configuration, Copy) throws -> Void) throws {
        for (backendName, backend) in testedBackends {
            for (name, copy) in copies {
                for mode in [Configuration.JournalModeConfiguration.default, .wal] {
                    var configuration = Configuration()
                    configuration.backend = backend
                    configuration.journalMode = mode
                    let directory = try TemporaryDirectory()
                    let path = directory.file("source.sqlite")
                    try DatabaseQueue(path: path, configuration: configuration).write { db in
                        try db.execute(sql: tableT + "INSERT INTO t(a) VALUES (1), (2), (3)")
                    }
                    let failures = testRun?.totalFailureCount ?? 0
                    try body(path, configuration, copy)
                    if (testRun?.totalFailureCount ?? 0) > failures { XCTFail("\(name), \(backendName)") }
                }
            }
        }
    }

    func testCopyHasTheContentAndIsIndependent() throws {
        try onEachCopy { path, configuration, makeCopy in
            let copy = try makeCopy(path, configuration)
            XCTAssertEqual(try copy.read(countRows), 3)
            try copy.write { try $0.execute(sql: insertIntoT) }
            XCTAssertEqual(try copy.read(countRows), 4)
            XCTAssertEqual(try DatabaseQueue(path: path, configuration: configuration).read(countRows), 3)
        }
    }

    func testCopyIsObserved() throws {
        try onEachCopy { path, configuration, makeCopy in
            var configuration = configuration
            configuration.foreignChanges = .observed
            let fixture = ObservationFixture(writer: try makeCopy(path, configuration), scheduling: .queue)
            let observed = fixture.observe(rowCounts)
            observed.expect([3])
            try fixture.insert()
            observed.expect([3, 4])
            observed.cancel()
        }
    }

    func testReadOnlyConfigurationMakesAReadOnlyCopy() throws {
        try onEachCopy { path, configuration, makeCopy in
            var configuration = configuration
            configuration.readonly = true
            let copy = try makeCopy(path, configuration)
            for _ in 1...2 {
                assertDatabaseError(.SQLITE_READONLY, "attempt to write a readonly database") {
                    try copy.write { try $0.execute(sql: insertIntoT) }
                }
                XCTAssertEqual(try copy.read(countRows), 3)
            }
        }
    }

    func testAbsentFileThrows() throws {
        try onEachCopy { path, configuration, makeCopy in
            assertDatabaseError(.SQLITE_CANTOPEN) { try makeCopy(path + "-absent", configuration) }
            XCTAssertFalse(FileManager.default.fileExists(atPath: path + "-absent"))
        }
    }
}
