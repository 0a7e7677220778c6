import VigilRegions
import VigilStorage
import XCTest

/// Changes of many rows whose ids are kept, most of which add nothing else to the record.
final class ManyRowsTests: XCTestCase {
    private let foo = TableName(name: "foo")

    /// A recorder with an observer of the table, which matches the first change.
    private func recorder(rowLimit: Int = 500) -> Recorder {
        var recorder = Recorder(DatabaseRegion(table: "foo"))
        recorder.changes = TransactionChanges(rowLimit: rowLimit)
        return recorder
    }

    private func set(_ rows: [RowChangeSummary]) -> ChangeSet {
        var set = ChangeSet()
        for row in rows { set.record(row, rowLimit: 500) }
        return set
    }

    func testTheRecordIsTheSameAsThatOfEachRow() {
        var recorder = recorder()
        var rows: [RowChangeSummary] = []
        func record(_ more: [RowChangeSummary]) {
            rows += more
            for row in more { recorder.record(.row(row)) }
        }
        recorder.changes.beginStatement(access: StatementAccess(.update("foo", ["a"])))
        record((1...150).map { .update("foo", $0, ["a"]) })
        XCTAssertEqual(recorder.changes.collected, set(rows))
        // A statement that assigns other columns, a row whose id changes, and other kinds of changes.
        recorder.changes.beginStatement(access: StatementAccess(.update("foo", ["b"])))
        record((140...250).map { .update("foo", $0, ["b"]) })
        XCTAssertEqual(recorder.changes.collected, set(rows))
        recorder.changes.beginStatement(access: StatementAccess())
        record((300...400).map { .insert("foo", $0) })
        XCTAssertEqual(recorder.changes.collected, set(rows))
        record((380...410).map { .delete("foo", $0) })
        XCTAssertEqual(recorder.changes.collected, set(rows))
        XCTAssertEqual(recorder.changes.collected[foo]?.rowIDs, Set(1...250).union(300...410))
        recorder.changes.beginStatement(access: StatementAccess(.update("foo", ["a"])))
        record([.update("foo", 1, ["a"])])
        recorder.record(.update("foo", 2, to: 999))
        XCTAssertEqual(recorder.changes.collected[foo]?.rowIDs?.contains(999), true)
        XCTAssertEqual(recorder.changes.collected[foo]?.kinds.contains(.move), true)
        XCTAssertEqual(recorder.commit(), [0])
    }

    func testAllRowsAreMeantBeyondTheLimit() {
        var recorder = recorder()
        for id in 1...500 { recorder.record(.insert("foo", Int64(id))) }
        XCTAssertEqual(recorder.changes.rowInterest(in: foo, .insert, in: &recorder.index), .row)
        XCTAssertEqual(recorder.changes.collected[foo]?.rowIDs?.count, 500)
        recorder.record(.insert("foo", 501))
        XCTAssertNotNil(recorder.changes.collected[foo])
        XCTAssertNil(recorder.changes.collected[foo]?.rowIDs)
        XCTAssertEqual(recorder.changes.rowInterest(in: foo, .insert, in: &recorder.index), .nothing)
    }

    func testRowsThatWereRolledBackAreForgotten() {
        var recorder = recorder()
        for id in 1...100 { recorder.record(.insert("foo", Int64(id))) }
        recorder.changes.didBeginSavepoint("s")
        for id in 101...200 { recorder.record(.insert("foo", Int64(id))) }
        recorder.rollback(to: "s")
        for id in 201...210 { recorder.record(.insert("foo", Int64(id))) }
        XCTAssertEqual(recorder.changes.collected[foo]?.rowIDs, Set(1...100).union(201...210))
    }

    func testAnObserverThatRegistersMeanwhileMatches() {
        var recorder = recorder()
        for id in 1...100 { recorder.record(.insert("foo", Int64(id))) }
        recorder.index.insert(ObserverID(7), region: DatabaseRegion(table: "foo", rowIds: [150]))
        for id in 101...200 { recorder.record(.insert("foo", Int64(id))) }
        XCTAssertEqual(recorder.changes.collected[foo]?.rowIDs, Set(1...200))
        XCTAssertEqual(recorder.commit(), [0, 7])
    }
}
