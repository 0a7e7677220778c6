import Foundation
import Vigil
import XCTest

/// A test case that runs the tool on databases in a temporary folder.
class ToolTestCase: XCTestCase {
    private(set) var folder = URL(fileURLWithPath: "")

    override func setUpWithError() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    override func tearDownWithError() throws {
        try FileManager.default.removeItem(at: folder)
    }

    var path: String { folder.appendingPathComponent("players.db").path }

    /// Creates a database with two tables, and returns a connection to it in the test process.
    @discardableResult
    func makeDatabase(journalMode: String = "WAL", configuration: Configuration = Configuration()) throws
        -> DatabaseQueue
    {
        var configuration = configuration
        configuration.busyMode = .timeout(ToolProcess.timeout)
        let dbQueue = try DatabaseQueue(path: path, configuration: configuration)
        try dbQueue.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA journal_mode = \(journalMode)")
            try db.execute(
                sql: """
                    CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, score);
                    INSERT INTO player VALUES (1, 'Ada', 41), (2, 'Grace', 29);
                    CREATE TABLE team (name TEXT);
                    """)
        }
        return dbQueue
    }

    func write(_ dbQueue: DatabaseQueue, _ sql: String) throws {
        try dbQueue.write { db in try db.execute(sql: sql) }
    }

    func watch(_ sql: String, _ arguments: String...) throws -> ToolProcess {
        try ToolProcess(["watch", path, sql] + arguments)
    }

    /// Runs the tool, and asserts that it fails with one line on standard error.
    func assertFails(
        _ arguments: [String], environment: [String: String] = [:], with message: String, line: UInt = #line
    ) throws {
        let ending = try ToolProcess.run(arguments, environment: environment)
        XCTAssertEqual(
            ending, .init(status: 1, output: "", error: "vigil: error: \(message)\n"), line: line)
    }
}
