import Logging
import Vigil
import VigilStorage
import VigilTesting
import XCTest

@testable import VigilEngine

/// Observations of a server whose statements fail for a time.
final class TransientErrorTests: XCTestCase {
    private let counting = "SELECT COUNT(*) FROM t"
    private let fragile = "SELECT COUNT(*) AS fragile FROM t"

    private func count(_ sql: String) -> ValueObservation<ValueReducers.Fetch<Int>> {
        .tracking { db in try Int.fetchOne(db, sql: sql) ?? -1 }
    }

    private func error(_ sqlState: String, isTransient: Bool = true) -> StorageError {
        var error = StorageError(.busy, "canceling statement due to lock timeout")
        error.sqlState = sqlState
        error.isTransient = isTransient
        return error
    }

    func testAFetchIsRepeatedAfterGrowingPauses() throws {
        try onEachServer { fixture in
            let observed = fixture.observe(count(counting))
            observed.expect([0])
            fixture.server.fail(statementsWith: counting, count: 4, with: error("55P03"))
            try fixture.insert()
            let pauses = (1...4).map { fixture.endPause($0) }
            XCTAssertEqual(pauses, [20, 40, 80, 160].map { .milliseconds($0) })
            observed.expect([0, 1])
            // The next failure is followed by a short pause.
            fixture.server.fail(statementsWith: counting, count: 1, with: error("40P01"))
            try fixture.insert()
            XCTAssertEqual(fixture.endPause(5), .milliseconds(20))
            observed.expect([0, 1, 2])
        }
    }

    func testAPostponedFetchDelaysNoOtherObservation() throws {
        try onEachServer { fixture in
            let observed = [fragile, counting].map { fixture.observe(count($0)) }
            for observed in observed { observed.expect([0]) }
            fixture.server.fail(statementsWith: fragile, count: 1, with: error("55P03"))
            for number in 1...3 {
                try fixture.insert()
                observed[1].expect(Array(0...number))
            }
            XCTAssertEqual(fixture.timer.scheduled.wait(count: 1), [.milliseconds(20)])
            XCTAssertEqual(observed[0].values.all, [0])
            fixture.timer.manual.fire()
            observed[0].expect([0, 3])
        }
    }

    func testFirstFetchesAreRepeated() throws {
        try onEachServer { fixture in
            fixture.server.fail(statementsWith: counting, count: 2, with: error("53200"))
            let observed = fixture.observe(count(counting), .async(onQueue: .global()))
            fixture.endPause(1)
            fixture.endPause(2)
            observed.expect([0])
            try fixture.insert()
            observed.expect([0, 1])
        }
    }

    func testGroupsAndSharedObservationsAreRepeated() throws {
        try onEachServer { fixture in
            let group = fixture.observe(
                ObservationGroup(count(counting), count(fragile)).observation.map { $0.1 })
            group.expect([0])
            fixture.server.fail(statementsWith: fragile, count: 1, with: error("57014"))
            try fixture.insert()
            fixture.endPause(1)
            group.expect([0, 1])
            group.cancel()
            let shared = count(fragile).shared(in: fixture.dbPool, scheduling: .inline)
            let sharedValues = Recorder<Int>()
            let cancellable = shared.start(
                onError: { XCTFail("\($0)") }, onChange: { sharedValues.append($0) })
            sharedValues.wait(count: 1)
            fixture.server.fail(statementsWith: fragile, count: 1, with: error("57014"))
            try fixture.insert()
            fixture.endPause(2)
            XCTAssertEqual(sharedValues.wait(count: 2), [1, 2])
            cancellable.cancel()
        }
    }

    func testOtherErrorsEndTheObservation() throws {
        try onEachServer { fixture in
            let observed = fixture.observe(count(counting))
            observed.expect([0])
            fixture.server.fail(statementsWith: counting, count: 1, with: error("42501", isTransient: false))
            try fixture.insert()
            XCTAssertEqual(
                observed.errors.wait(count: 1).map { ($0 as? DatabaseError)?.sqlState }, ["42501"])
            XCTAssertEqual(fixture.dbPool.observations.count, 0)
        }
    }

    func testThePostponementIsLoggedAndPartOfTheStatus() throws {
        let messages = Recorder<String>()
        var configuration = Configuration()
        configuration.logger = Logger(label: "server") { _ in RecordingLogHandler(messages) }
        configuration.publicStatementArguments = false
        try onEachServer(configuration) { fixture in
            let before = messages.all.count
            let observed = fixture.observe(
                .tracking { db in
                    try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t WHERE a <> ?", arguments: ["secret"])
                        ?? -1
                })
            observed.expect([0])
            fixture.server.fail(statementsWith: "a <> ?", count: 2, with: error("55P03"))
            try fixture.insert()
            fixture.timer.scheduled.wait(count: 1)
            let status = fixture.dbPool.observations.first
            XCTAssertEqual((status?.postponingError as? DatabaseError)?.sqlState, "55P03")
            XCTAssertEqual(status?.phase, .waitingToFetch)
            XCTAssertEqual(status?.coarseReason, "remote")
            fixture.endPause(1)
            fixture.endPause(2)
            observed.expect([0, 1])
            XCTAssertNil(fixture.dbPool.observations.first?.postponingError)
            let repetitions = messages.all.dropFirst(before).filter { $0.contains("repeated") }
            XCTAssertEqual(repetitions.map { $0.prefix { $0 != ":" } }, ["warning", "debug"])
            XCTAssertTrue(repetitions.allSatisfy { $0.contains("55P03") && !$0.contains("secret") })
        }
    }

    func testTheFeedIsNotifiedOfOwnCommits() throws {
        try onEachServer { fixture in
            try fixture.insert()
            XCTAssertEqual(fixture.server.ownCommitCount, 0, "nothing is observed")
            let observed = fixture.observe(count(counting))
            observed.expect([1])
            try fixture.insert()
            XCTAssertEqual(fixture.server.ownCommitCount, 1)
            _ = try fixture.dbPool.read { db in try Int.fetchOne(db, sql: counting) }
            XCTAssertEqual(fixture.server.ownCommitCount, 1, "nothing was written")
        }
    }

    func testAPoolThatIsClosedDuringAPauseEndsFirstFetches() throws {
        try onEachServer { fixture in
            fixture.server.fail(statementsWith: counting, count: 1, with: error("55P03"))
            let observed = fixture.observe(count(counting), .async(onQueue: .global()))
            fixture.timer.scheduled.wait(count: 1)
            try fixture.dbPool.close()
            XCTAssertEqual(
                observed.errors.wait(count: 1).map { ($0 as? DatabaseError)?.resultCode }, [.SQLITE_MISUSE])
            XCTAssertEqual(fixture.dbPool.observations.count, 0)
        }
    }
}
