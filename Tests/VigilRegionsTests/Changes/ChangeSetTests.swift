import VigilRegions
import VigilStorage
import XCTest

final class ChangeSetTests: XCTestCase {
    private let all = DatabaseRegion(table: "foo")
    private let a = DatabaseRegion(table: "foo", columns: ["a"])
    private let row1 = DatabaseRegion(table: "foo", rowIds: [1])
    private let a1 = DatabaseRegion(table: TableName(name: "foo"), columns: ["a"], rowIds: [1])

    private func set(_ rows: RowChangeSummary..., rowLimit: Int = 10) -> ChangeSet {
        var set = ChangeSet()
        for row in rows { set.record(row, rowLimit: rowLimit) }
        return set
    }

    /// Returns the positions, in the list `all`, `a`, `row1`, `a1`, of the regions that the set modifies.
    private func modified(by set: ChangeSet) -> [Int] {
        [all, a, row1, a1].enumerated().filter { $1.isModified(by: set) }.map(\.offset)
    }

    func testAnEmptySetModifiesNothing() {
        XCTAssertTrue(ChangeSet().isEmpty)
        XCTAssertFalse(DatabaseRegion.fullDatabase.isModified(by: ChangeSet()))
        XCTAssertEqual(modified(by: ChangeSet()), [])
    }

    func testAnyChangeModifiesTheFullDatabase() {
        XCTAssertTrue(DatabaseRegion.fullDatabase.isModified(by: set(.insert("bar", 1))))
    }

    func testInsertionsAndDeletionsModifyTheTableAndTheRow() {
        XCTAssertEqual(modified(by: set(.insert("FOO", 1))), [0, 1, 2, 3])
        XCTAssertEqual(modified(by: set(.delete("foo", 1))), [0, 1, 2, 3])
        XCTAssertEqual(modified(by: set(.delete("foo", 2))), [0, 1])
        XCTAssertEqual(modified(by: set(.delete("bar", 1))), [])
    }

    func testUpdatesModifyTheirColumnsAndRows() {
        XCTAssertEqual(modified(by: set(.update("foo", 1, ["A"]))), [0, 1, 2, 3])
        XCTAssertEqual(modified(by: set(.update("foo", 1, ["b"]))), [0, 2])
        XCTAssertEqual(modified(by: set(.update("foo", 2, ["a"]))), [0, 1])
        XCTAssertEqual(modified(by: set(.update("foo", 1, []))), [])
    }

    func testAChangeOfTheRowIDModifiesBothRowsAndTheOrderOfAll() {
        XCTAssertEqual(modified(by: set(.update("foo", 1, to: 9, ["id"]))), [0, 1, 2, 3])
        XCTAssertEqual(modified(by: set(.update("foo", 9, to: 1, ["id"]))), [0, 1, 2, 3])
        XCTAssertEqual(modified(by: set(.update("foo", 8, to: 9, ["id"]))), [0, 1])
    }

    func testAboveTheRowLimitAnyRowMayHaveChanged() {
        let few = set(.update("foo", 2, ["b"]), .update("foo", 3, ["b"]), rowLimit: 2)
        XCTAssertEqual(few[TableName(name: "foo")]?.rowIDs, [2, 3])
        XCTAssertEqual(modified(by: few), [0])
        let many = few.union(set(.update("foo", 4, ["b"])), rowLimit: 2)
        XCTAssertEqual(modified(by: many), [0, 2])
        XCTAssertNil(many[TableName(name: "foo")]?.rowIDs)
    }

    func testAChangeWithoutARowIDMayModifyAnyRow() {
        let deletion = RowChangeSummary(
            table: TableName(name: "foo"), kind: .delete, oldKey: .unknown, newKey: nil)
        XCTAssertEqual(modified(by: set(deletion)), [0, 1, 2, 3])
    }

    func testAColumnThatWasNotComparedMayHaveChanged() {
        var one = RowChangeSummary.update("foo", 1)
        one.updatedColumns = .some(ColumnSet(["b"]), compared: ColumnSet(["a", "b"]))
        XCTAssertEqual(modified(by: set(one)), [0, 2])
        var two = RowChangeSummary.update("foo", 1)
        two.updatedColumns = .some(ColumnSet(["b"]), compared: ColumnSet(["b", "c"]))
        XCTAssertEqual(modified(by: set(one, two)), [0, 1, 2, 3])
        XCTAssertEqual(modified(by: set(one, .update("foo", 2, ["b"]))), [0, 2])
    }

    func testAChangeOfAWholeTableOrDatabaseModifiesEverythingInIt() {
        var set = ChangeSet()
        set.recordWholeTable(TableName(name: "foo"))
        XCTAssertEqual(modified(by: set), [0, 1, 2, 3])
        XCTAssertFalse(DatabaseRegion(table: "bar").isModified(by: set))
        set.record(.insert("foo", 1))
        XCTAssertEqual(set[TableName(name: "foo")], .anything)
        set.recordWholeDatabase()
        XCTAssertEqual(modified(by: set), [0, 1, 2, 3])
        XCTAssertEqual(set, .wholeDatabase)
    }

    func testAChangeOfAWholeTableAbsorbsItsRows() {
        let foo = TableName(name: "foo")
        var rowFirst = set(.insert("foo", 1), .insert("bar", 1))
        rowFirst.recordWholeTable(foo)
        XCTAssertEqual(rowFirst[foo], .anything)
        var tableFirst = ChangeSet()
        tableFirst.recordWholeTable(foo)
        tableFirst.record(.insert("bar", 1))
        tableFirst.record(.insert("foo", 1))
        XCTAssertEqual(rowFirst, tableFirst)
        XCTAssertEqual(set(.insert("foo", 1)).union(tableFirst), tableFirst)
        XCTAssertEqual(tableFirst.union(set(.insert("foo", 1))), tableFirst)
        XCTAssertNotEqual(tableFirst, set(.insert("foo", 1), .insert("bar", 1)))
    }

    func testAboveTheTableLimitAnyTableMayHaveChanged() {
        var set = ChangeSet()
        for number in 0..<ChangeSet.tableLimit { set.record(.insert("t\(number)", 1)) }
        XCTAssertFalse(set.isWholeDatabase)
        XCTAssertEqual(modified(by: set), [])
        set.recordWholeTable(TableName(name: "t0"))
        XCTAssertFalse(set.isWholeDatabase)
        var more = set
        more.record(.insert("one more", 1))
        XCTAssertEqual(more, .wholeDatabase)
        var whole = set
        whole.recordWholeTable(TableName(name: "one more"))
        XCTAssertEqual(whole, .wholeDatabase)
    }

    func testAUnionContainsBothSets() {
        let one = set(.update("foo", 2, ["b"]))
        let two = set(.insert("bar", 5), .update("foo", 3, ["a"]))
        let both = one.union(two)
        XCTAssertEqual(modified(by: both), [0, 1])
        XCTAssertTrue(DatabaseRegion(table: "bar", rowIds: [5]).isModified(by: both))
        XCTAssertEqual(one.union(.wholeDatabase), .wholeDatabase)
        XCTAssertEqual(ChangeSet.wholeDatabase.union(one), .wholeDatabase)
        XCTAssertEqual(one.union(ChangeSet()), one)
        XCTAssertEqual(ChangeSet().union(one), one)
    }

    func testTheChangeSetOfABulkTransactionStaysSmall() {
        var recorder = Recorder(all)
        for rowID in 0..<10_000 { recorder.record(.insert("foo", Int64(rowID))) }
        let (matches, changes) = recorder.changes.finish(in: &recorder.index)
        XCTAssertEqual(matches.count, 1)
        XCTAssertNil(changes[TableName(name: "foo")]?.rowIDs)
    }

    func testABulkTransactionCollectsNewColumnsAndRowIDs() {
        var recorder = Recorder(all)
        recorder.changes = TransactionChanges(rowLimit: 1)
        let c = DatabaseRegion(table: "foo", columns: ["c"])
        let c1 = DatabaseRegion(table: TableName(name: "foo"), columns: ["c"], rowIds: [1])
        recorder.changes.beginStatement(access: StatementAccess(.update("foo", ["a"])))
        for rowID in 0..<10 { recorder.record(.update("foo", Int64(rowID))) }
        XCTAssertEqual(modified(by: recorder.changes.collected), [0, 1, 2, 3])
        XCTAssertFalse(c.isModified(by: recorder.changes.collected))
        recorder.changes.beginStatement(access: StatementAccess(.update("foo", ["c"])))
        recorder.record(.update("foo", 5))
        XCTAssertTrue(c.isModified(by: recorder.changes.finish(in: &recorder.index).changes))
        recorder.changes.beginStatement(access: StatementAccess(.update("foo", ["a"])))
        for rowID in 0..<10 { recorder.record(.update("foo", Int64(rowID))) }
        XCTAssertFalse(c1.isModified(by: recorder.changes.collected))
        recorder.record(.update("foo", 1, to: 20))
        XCTAssertTrue(c1.isModified(by: recorder.changes.collected))
    }
}
