import Vigil
import VigilEngine
import XCTest

/// A started observation of the rows of statements, run one after the other in each fetch.
final class ResultFixture {
    let writer: any DatabaseWriter
    private let label: String
    private let values = Recorder<[[String]]>()
    private let statements: [String]
    private var cancellable: AnyDatabaseCancellable?

    /// - Parameter prepares: whether the tables are created.
    init(
        _ writer: any DatabaseWriter, _ statements: [String], label: String = "results",
        coalesces: Bool = true
    ) throws {
        (self.writer, self.label, self.statements) = (writer, label, statements)
        cancellable = ValueObservation.tracking { db in try Self.rows(statements, db) }
            .coalescing(coalesces ? .automatic : .never).labeled(label)
            .start(
                in: writer, scheduling: .inline, onError: { XCTFail("\($0)") },
                onChange: { [values] in values.append($0) })
        try writer.waitForFetches()
    }

    static func rows(_ statements: [String], _ db: Database) throws -> [[String]] {
        try statements.map { sql in
            try Row.fetchAll(db, sql: sql).map { row in
                row.databaseValues.map(\.storageValue.sqlLiteral).joined(separator: ",")
            }
        }
    }

    /// Writes, and compares the last value with fresh rows.
    func write(_ sql: String, file: StaticString = #filePath, line: UInt = #line) throws {
        try writer.writeWithoutTransaction { db in try db.execute(sql: sql) }
        try writer.waitForFetches()
        let fresh = try writer.read { [statements] db in try Self.rows(statements, db) }
        XCTAssertEqual(values.all.last, fresh, sql, file: file, line: line)
    }

    /// The rows of the first statement.
    var rows: [String]? { values.all.last?.first }

    func statistics(file: StaticString = #filePath, line: UInt = #line) throws -> [ResultStatistics] {
        try XCTUnwrap(writer.observations.first { $0.label == label }, file: file, line: line).results
    }

    func cancel() { cancellable?.cancel() }
}

/// Runs a test on queues and pools with players, with each backend. The results of cheap statements are kept
/// too.
func onEachResultWriter(
    _ change: (inout Configuration) -> Void = { _ in }, _ body: (any DatabaseWriter) throws -> Void
) throws {
    var configuration = Configuration()
    configuration.leastLiveCost = 0
    change(&configuration)
    try onEachListWriter(configuration, body)
}
