import VigilRegions
import VigilStorage
import XCTest

final class TransactionChangesTests: XCTestCase {
    private let all = DatabaseRegion(table: "foo")
    private let a = DatabaseRegion(table: "foo", columns: ["a"])
    private let row1 = DatabaseRegion(table: "foo", rowIds: [1])

    func testATransactionReportsEachObserverOnce() {
        var recorder = Recorder(all, row1, DatabaseRegion(table: "bar"))
        recorder.record(.insert("foo", 1), .insert("foo", 2), .delete("foo", 1))
        XCTAssertEqual(recorder.commit(), [0, 1])
    }

    func testTheNextTransactionReportsTheObserverAgain() {
        var recorder = Recorder(all)
        recorder.record(.insert("foo", 1))
        XCTAssertEqual(recorder.commit(), [0])
        XCTAssertEqual(recorder.commit(), [])
        recorder.record(.insert("foo", 1))
        XCTAssertEqual(recorder.commit(), [0])
    }

    func testARolledBackTransactionReportsNothing() {
        var recorder = Recorder(all)
        recorder.record(.insert("foo", 1))
        recorder.changes.reset(in: &recorder.index)
        XCTAssertTrue(recorder.changes.isEmpty)
        XCTAssertEqual(recorder.commit(), [])
        recorder.record(.insert("foo", 1))
        XCTAssertEqual(recorder.commit(), [0])
    }

    func testAMatchReportsTheFirstMatchingChange() {
        var recorder = Recorder(all)
        recorder.record(.insert("foo", 1), .delete("foo", 2))
        let matches = recorder.changes.finish(in: &recorder.index).matches
        XCTAssertEqual(matches.map(\.reason.description), ["insert of foo 1"])
    }

    func testCoarseEventsMatchAllObserversInTheirScope() {
        var recorder = Recorder(all, row1, DatabaseRegion(table: "bar"))
        recorder.record(.table(TableName(name: "foo")))
        XCTAssertEqual(recorder.commit(), [0, 1])
        recorder.record(.database)
        XCTAssertEqual(recorder.commit(), [0, 1, 2])
    }

    func testAnObserverRemovedDuringATransactionIsNotReported() {
        var recorder = Recorder(all, a)
        recorder.record(.insert("foo", 1))
        recorder.index.remove(ObserverID(0))
        XCTAssertEqual(recorder.commit(), [1])
    }

    func testAnObserverRegisteredDuringATransactionMatchesLaterChanges() {
        var recorder = Recorder(all)
        recorder.record(.insert("foo", 1))
        recorder.index.insert(ObserverID(1), region: a)
        recorder.index.insert(ObserverID(2), region: row1)
        recorder.record(.insert("foo", 2))
        XCTAssertEqual(recorder.commit(), [0, 1])
    }

    func testRowsDeletedByAReplacementMatchTheirObservers() {
        var recorder = Recorder(row1)
        recorder.record(.delete("foo", 1), .insert("foo", 2))
        XCTAssertEqual(recorder.commit(), [0])
    }
}
