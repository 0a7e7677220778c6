import Dispatch
import Vigil
import XCTest

/// The schedulers that observation tests run with.
enum Scheduling: CaseIterable, Sendable {
    case immediate, queue, mainActor, task

    var isMain: Bool { self == .immediate || self == .mainActor }
}

/// The scheduler `.immediate`, for callbacks without actor isolation.
let immediately: some ValueObservationScheduler = ImmediateValueObservationScheduler()

/// A database with a table `t(id INTEGER PRIMARY KEY, a)`, and a scheduler for its observations.
struct ObservationFixture {
    let writer: any DatabaseWriter
    let scheduling: Scheduling
    /// The queue of `.queue` callbacks.
    let queue = DispatchQueue(label: "callbacks")

    var isPool: Bool { writer is DatabasePool }

    func insert(_ count: Int = 1) throws {
        for _ in 0..<count { try writer.commit(insertIntoT) }
    }

    /// Starts an observation in the fixture's database or in the given reader.
    func observe<Reducer: ValueReducer>(
        _ observation: ValueObservation<Reducer>, in reader: (any DatabaseReader)? = nil
    ) -> Observed<Reducer.Value> {
        Observed { values, errors in
            start(observation, in: reader, onError: { errors.append($0) }, onChange: { values.append($0) })
        }
    }

    /// Waits for pending work on the queues that observations call back on.
    func drain(_ test: XCTestCase) {
        queue.sync {}
        let main = test.expectation(description: "main queue")
        DispatchQueue.main.async { main.fulfill() }
        test.wait(for: [main], timeout: testTimeout)
    }

    func start<Reducer: ValueReducer>(
        _ observation: ValueObservation<Reducer>, in reader: (any DatabaseReader)? = nil,
        onError: @escaping @Sendable (any Error) -> Void = { XCTFail("\($0)") },
        onChange: @escaping @Sendable (Reducer.Value) -> Void
    ) -> AnyDatabaseCancellable {
        let reader = reader ?? writer
        switch scheduling {
        case .immediate:
            return observation.start(
                in: reader, scheduling: immediately, onError: onError, onChange: onChange)
        case .queue:
            return observation.start(
                in: reader, scheduling: .async(onQueue: queue), onError: onError, onChange: onChange)
        case .task:
            return observation.start(in: reader, scheduling: .task, onError: onError, onChange: onChange)
        case .mainActor:
            return MainActor.assumeIsolated {
                observation.start(
                    in: reader, scheduling: .mainActor, onError: { onError($0) }, onChange: { onChange($0) })
            }
        }
    }
}

/// A started observation and its values.
final class Observed<Value: Sendable>: Sendable {
    let values = Recorder<Value>()
    let errors = Recorder<any Error>()
    private let cancellable: AnyDatabaseCancellable

    init(_ start: (Recorder<Value>, Recorder<any Error>) -> AnyDatabaseCancellable) {
        cancellable = start(values, errors)
    }

    func cancel() { cancellable.cancel() }
}

extension Observed where Value: Equatable {
    /// Waits for as many values as are expected, and asserts that there was no error.
    func expect(_ expected: [Value], file: StaticString = #filePath, line: UInt = #line) {
        XCTAssertEqual(values.wait(count: expected.count), expected, file: file, line: line)
        XCTAssertEqual(errors.all.map { "\($0)" }, [], file: file, line: line)
    }
}

enum WriterKind: CaseIterable { case memory, file, pool }

let tableT = "CREATE TABLE t(id INTEGER PRIMARY KEY, a);"

/// Fetches the number of rows of `t`.
let countRows: @Sendable (Database) throws -> Int = { db in
    try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t") ?? -1
}

let rowCounts = ValueObservation.tracking(countRows)

extension XCTestCase {
    /// Runs a test on a new database of each kind, with each scheduler and each backend.
    ///
    /// If there are several backends, the second one runs only half of the combinations of kinds and
    /// schedulers, in which each of them occurs. A build with one library runs all of them.
    func onEachFixture(
        _ kinds: [WriterKind] = WriterKind.allCases, _ schedulings: [Scheduling] = Scheduling.allCases,
        _ configuration: Configuration = Configuration(), schema: String = tableT,
        _ body: (ObservationFixture) throws -> Void
    ) throws {
        for (number, (name, backend)) in testedBackends.enumerated() {
            var configuration = configuration
            configuration.backend = backend
            // These tests do not cover power loss.
            configuration.prepareDatabase { db in try db.execute(sql: "PRAGMA synchronous = OFF") }
            let halves = number > 0 && kinds.count > 1 && schedulings.count > 1
            for (row, kind) in kinds.enumerated() {
                for (column, scheduling) in schedulings.enumerated() {
                    if halves, !(row + column).isMultiple(of: 2) { continue }
                    let directory = try TemporaryDirectory()
                    let writer = try makeWriter(kind, directory.file("db"), configuration)
                    try writer.run(schema)
                    let failures = testRun?.totalFailureCount ?? 0
                    try body(ObservationFixture(writer: writer, scheduling: scheduling))
                    if (testRun?.totalFailureCount ?? 0) > failures {
                        XCTFail("on \(name), \(kind), .\(scheduling)")
                    }
                }
            }
        }
    }

    /// Runs a test on a new pool, with each scheduler and each backend.
    func onEachPoolFixture(
        _ schedulings: [Scheduling] = Scheduling.allCases, _ configuration: Configuration = Configuration(),
        schema: String = tableT, _ body: (ObservationFixture, DatabasePool) throws -> Void
    ) throws {
        try onEachFixture([.pool], schedulings, configuration, schema: schema) { fixture in
            try body(fixture, XCTUnwrap(fixture.writer as? DatabasePool))
        }
    }
}

private func makeWriter(
    _ kind: WriterKind, _ path: String, _ configuration: Configuration
) throws -> any DatabaseWriter {
    switch kind {
    case .memory: try DatabaseQueue(configuration: configuration)
    case .file: try DatabaseQueue(path: path, configuration: configuration)
    case .pool: try DatabasePool(path: path, configuration: configuration)
    }
}
