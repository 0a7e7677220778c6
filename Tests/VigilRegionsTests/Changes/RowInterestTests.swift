import VigilRegions
import VigilStorage
import XCTest

/// How precisely changes must be reported.
final class RowInterestTests: XCTestCase {
    private let foo = TableName(name: "foo")
    private let bar = TableName(name: "bar")

    private func recorder(_ regions: DatabaseRegion..., keepsUnobservedRows: Bool = false) -> Recorder {
        var recorder = Recorder()
        for (number, region) in regions.enumerated() {
            recorder.index.insert(ObserverID(number), region: region)
        }
        recorder.changes = TransactionChanges(rowLimit: 2, keepsUnobservedRows: keepsUnobservedRows)
        return recorder
    }

    func testTheRowsOfAnObservedTableMatter() {
        var recorder = recorder(DatabaseRegion(table: "foo", rowIds: [1]))
        XCTAssertEqual(recorder.changes.rowInterest(in: foo, .insert, in: &recorder.index), .row)
        XCTAssertEqual(recorder.changes.rowInterest(in: bar, .insert, in: &recorder.index), .table)
    }

    func testAllRowsMatterIfTheFullDatabaseIsObserved() {
        var recorder = recorder(.fullDatabase)
        XCTAssertEqual(recorder.changes.rowInterest(in: bar, .insert, in: &recorder.index), .row)
        recorder.record(.insert("bar", 1))
        XCTAssertEqual(recorder.commit(), [0])
    }

    func testAllRowsMatterIfUnobservedRowsAreKept() {
        var recorder = recorder(DatabaseRegion(table: "foo"), keepsUnobservedRows: true)
        XCTAssertEqual(recorder.changes.rowInterest(in: bar, .update, in: &recorder.index), .row)
        recorder.record(.insert("bar", 1))
        XCTAssertEqual(recorder.changes.collected[bar]?.rowIDs, [1])
    }

    func testAnUnobservedTableIsReportedOnceAsAWhole() {
        var recorder = recorder(DatabaseRegion(table: "foo"))
        recorder.record(.insert("bar", 1))
        XCTAssertEqual(recorder.changes.collected[bar], .anything)
        for kind in [RowChange.Kind.insert, .update, .delete] {
            XCTAssertEqual(recorder.changes.rowInterest(in: bar, kind, in: &recorder.index), .nothing)
        }
        XCTAssertEqual(recorder.commit(), [])
        XCTAssertEqual(recorder.changes.rowInterest(in: bar, .insert, in: &recorder.index), .table)
    }

    func testAnUnobservedTableIsReportedAgainAfterARollbackToASavepoint() {
        var recorder = recorder(DatabaseRegion(table: "foo"))
        recorder.changes.didBeginSavepoint("a")
        recorder.record(.table(bar))
        recorder.changes.didRollback(to: "a", in: &recorder.index)
        XCTAssertTrue(recorder.changes.isEmpty)
        XCTAssertEqual(recorder.changes.rowInterest(in: bar, .insert, in: &recorder.index), .table)
        recorder.record(.table(bar))
        XCTAssertEqual(recorder.changes.collected[bar], .anything)
    }

    func testANewObserverMatchesLaterChanges() {
        var recorder = recorder(DatabaseRegion(table: "foo"))
        recorder.record(.insert("bar", 1))
        recorder.index.insert(ObserverID(7), region: DatabaseRegion(table: "bar", rowIds: [2]))
        XCTAssertEqual(recorder.changes.rowInterest(in: bar, .insert, in: &recorder.index), .row)
        recorder.record(.insert("bar", 2))
        XCTAssertEqual(recorder.commit(), [7])
        recorder.index.remove(ObserverID(7))
        recorder.record(.insert("bar", 3))
        XCTAssertEqual(recorder.commit(), [])
    }

    func testFurtherInsertsDoNotMatterAfterAllMatchedAboveTheRowLimit() {
        var recorder = recorder(DatabaseRegion(table: "foo"))
        for rowID in 1...4 { recorder.record(.insert("foo", Int64(rowID))) }
        XCTAssertEqual(recorder.changes.rowInterest(in: foo, .insert, in: &recorder.index), .nothing)
        XCTAssertEqual(recorder.changes.rowInterest(in: foo, .delete, in: &recorder.index), .row)
        recorder.index.insert(ObserverID(1), region: DatabaseRegion(table: "foo", rowIds: [9]))
        XCTAssertEqual(recorder.changes.rowInterest(in: foo, .insert, in: &recorder.index), .row)
    }

    /// A change of the row id must be reported, and the interest is determined before that is known.
    func testUpdatesAlwaysMatter() {
        var recorder = recorder(DatabaseRegion(table: "foo"))
        for rowID in 1...4 { recorder.record(.update("foo", Int64(rowID))) }
        XCTAssertEqual(recorder.changes.rowInterest(in: foo, .update, in: &recorder.index), .row)
    }
}
