import Vigil
import VigilTesting
import XCTest

@testable import VigilEngine

/// A pool on a ``RemoteBackend``, whose timer the test controls.
struct ServerFixture {
    let server: RemoteBackend
    let timer = StepTimer()
    let dbPool: DatabasePool
    private let directory: TemporaryDirectory

    init(_ backend: any StorageBackend, _ configuration: Configuration = Configuration()) throws {
        server = RemoteBackend(backend)
        directory = try TemporaryDirectory()
        dbPool = try DatabasePool(
            backend: server, location: .file(path: directory.file("database")),
            configuration: configuration, timer: timer)
        try dbPool.write { db in try db.execute(sql: "CREATE TABLE t(a); CREATE TABLE other(a)") }
    }

    func observe<Reducer: ValueReducer>(
        _ observation: ValueObservation<Reducer>, _ scheduler: any ValueObservationScheduler = .inline
    ) -> Observed<Reducer.Value> {
        Observed { values, errors in
            observation.start(
                in: dbPool, scheduling: scheduler, onError: { errors.append($0) },
                onChange: { values.append($0) })
        }
    }

    func insert(into table: String = "t") throws {
        try dbPool.write { db in try db.execute(sql: "INSERT INTO \(table) VALUES (1)") }
    }

    /// Waits for the next pause, and ends it. Returns its duration.
    @discardableResult
    func endPause(_ number: Int) -> Duration? {
        let pause = timer.scheduled.wait(count: number).last
        timer.manual.fire()
        return pause
    }
}

extension XCTestCase {
    /// Runs a test with each backend behind a server.
    func onEachServer(
        _ configuration: Configuration = Configuration(), _ body: (ServerFixture) throws -> Void
    ) throws {
        for (name, backend) in testedBackends {
            let failures = testRun?.totalFailureCount ?? 0
            try body(ServerFixture(backend, configuration))
            if (testRun?.totalFailureCount ?? 0) > failures { XCTFail("on \(name)") }
        }
    }
}
