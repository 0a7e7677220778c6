import Vigil
import XCTest

@testable import vigil_tool

final class WatchProgressTests: XCTestCase {
    private func result(_ number: Int) -> QueryResult {
        QueryResult(columns: ["a"], rows: [[number.databaseValue]])
    }

    func testIdenticalResultsAreSkippedAndNotNumbered() {
        var progress = WatchProgress(printsInitial: true, limit: nil)
        XCTAssertEqual(
            [1, 1, 2, 2, 1].map { progress.didReceive(result($0)) },
            [
                .print(number: 0), .skip, .print(number: 1), .skip, .print(number: 2),
            ])
    }

    func testHiddenInitialResultIsNumbered() {
        var progress = WatchProgress(printsInitial: false, limit: 2)
        XCTAssertEqual(
            [1, 1, 2, 3].map { progress.didReceive(result($0)) },
            [.skip, .skip, .print(number: 1), .printLast(number: 2)])
    }

    func testOrderOfRowsMayBeIgnored() {
        var progress = WatchProgress(printsInitial: true, limit: nil, ignoresOrder: true)
        let results = [[1, 2], [2, 1], [2, 2]].map { values in
            QueryResult(columns: ["a"], rows: values.map { [$0.databaseValue] })
        }
        XCTAssertEqual(
            results.map { progress.didReceive($0) }, [.print(number: 0), .skip, .print(number: 1)])
    }

    func testOnlyInitialAndNewestResultsArePending() {
        var pending = PendingEvents()
        for number in 1...4 { pending.add(.result(result(number))) }
        pending.add(.failed(Failure("a")))
        pending.add(.resized)
        XCTAssertEqual((0..<3).map { _ in describe(pending.next()) }, ["1", "4", "failed"])
        pending.add(.ended)
        XCTAssertEqual((0..<2).map { _ in describe(pending.next()) }, ["ended", "ended"])
    }

    func testUrgentEventsPrecedeResults() {
        var pending = PendingEvents()
        for event in [.resized, .result(result(1)), .unobservable, .suspended] as [WatchEvent] {
            pending.add(event)
        }
        XCTAssertEqual(
            (0..<5).map { _ in describe(pending.next()) },
            ["suspended", "unobservable", "1", "resized", "none"])
    }

    func testResultDropsPendingNote() {
        var pending = PendingEvents()
        pending.add(.waiting("a"))
        pending.add(.waiting("b"))
        XCTAssertEqual((0..<2).map { _ in describe(pending.next()) }, ["b", "none"])
        pending.add(.waiting("c"))
        pending.add(.result(result(1)))
        XCTAssertEqual((0..<2).map { _ in describe(pending.next()) }, ["1", "none"])
    }

    func testFileIsOpenedAgainOnlyWithRetry() {
        let moved = DatabaseError(resultCode: .SQLITE_READONLY_DBMOVED, message: "moved")
        var progress = ReopeningProgress(retries: false)
        XCTAssertEqual(progress.didFail(moved), .end)
        progress = ReopeningProgress(retries: true)
        XCTAssertEqual(progress.didFail(Failure("a")), .end)
        XCTAssertEqual(progress.didFail(moved), .tryAgain(note: "waiting for the database: moved"))
        XCTAssertEqual(progress.didFail(Failure("a")), .tryAgain(note: "waiting for the database: a"))
        XCTAssertEqual(progress.didFail(Failure("a")), .tryAgain(note: nil))
        progress.didRead()
        XCTAssertEqual(progress.didFail(Failure("a")), .end)
    }

    private func describe(_ event: WatchEvent?) -> String {
        switch event {
        case .result(let result): result.rows[0][0].description
        case .failed: "failed"
        case .waiting(let note): note
        case .resized: "resized"
        case .suspended: "suspended"
        case .unobservable: "unobservable"
        case .ended: "ended"
        case nil: "none"
        }
    }
}
