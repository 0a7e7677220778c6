import VigilRegions
import VigilStorage
import XCTest

/// The columns that an update is assumed to change.
final class UpdatedColumnsTests: XCTestCase {
    private let foo = TableName(name: "foo")
    private let all = DatabaseRegion(table: "foo")
    private let a = DatabaseRegion(table: "foo", columns: ["a"])
    private let b = DatabaseRegion(table: "foo", columns: ["b"])
    private let row1 = DatabaseRegion(table: "foo", rowIds: [1])

    private func images(_ old: StorageValue..., to new: StorageValue...) -> FakeImages {
        FakeImages(["id", "a", "b"], old: old, new: new)
    }

    // MARK: Without images

    func testWithoutImagesTheStatementDeterminesTheColumns() {
        var recorder = Recorder(all, a, b, row1)
        recorder.changes.beginStatement(access: StatementAccess(.update("FOO", ["A"])))
        recorder.record(.update("foo", 2))
        XCTAssertEqual(recorder.commit(), [0, 1])
    }

    func testAStatementMayDeclareSeveralUpdatesOfATable() {
        var recorder = Recorder(a, b, DatabaseRegion(table: "foo", columns: ["c"]))
        recorder.changes.beginStatement(
            access: StatementAccess(
                .update("foo", ["a"]), .update("bar", ["c"]), .update("foo", ["b"])))
        recorder.record(.update("foo", 2))
        XCTAssertEqual(recorder.commit(), [0, 1])
    }

    func testAnUndeclaredUpdateMayChangeAnyColumn() {
        var recorder = Recorder(a, b)
        recorder.changes.beginStatement(
            access: StatementAccess(.update("bar", ["x"]), TableWrite(foo, .delete)))
        recorder.record(.update("foo", 2))
        XCTAssertEqual(recorder.commit(), [0, 1])
    }

    func testAnUpdateByAnUnknownStatementMayChangeAnyColumn() {
        var recorder = Recorder(a, b)
        recorder.record(.update("foo", 2))
        XCTAssertEqual(recorder.commit(), [0, 1])
    }

    func testAnAssignmentToTheRowIDMayChangeItsAlias() {
        var recorder = Recorder(DatabaseRegion(table: "foo", columns: ["id"]))
        recorder.changes.beginStatement(access: StatementAccess(.update("foo", ["ROWID"])))
        recorder.record(.update("foo", 2, to: 3))
        XCTAssertEqual(recorder.commit(), [0])
    }

    func testAStatementResumesAfterANestedStatement() {
        var recorder = Recorder(a, b)
        recorder.changes.beginStatement(access: StatementAccess(.update("foo", ["a"])))
        let outer = recorder.changes.beginStatement(
            access: StatementAccess(.update("foo", ["x"])))
        recorder.record(.update("foo", 1))
        recorder.changes.beginStatement(outer)
        recorder.record(.update("foo", 1))
        XCTAssertEqual(recorder.commit(), [0])
    }

    func testTheNextTransactionDoesNotUseTheColumnsOfTheLastStatement() {
        var recorder = Recorder(b)
        recorder.changes.beginStatement(access: StatementAccess(.update("foo", ["a"])))
        XCTAssertEqual(recorder.commit(), [])
        recorder.record(.update("foo", 1))
        XCTAssertEqual(recorder.commit(), [0])
    }

    // MARK: With images

    func testWithImagesOnlyDifferingColumnsHaveChanged() {
        var recorder = Recorder(all, a, b, row1)
        recorder.changes.beginStatement(access: StatementAccess(.update("foo", ["a", "b"])))
        recorder.record(
            .update(
                "foo", 2,
                images: images(
                    .integer(2), .text("x"), .null, to: .integer(2), .text("x"), .integer(0))))
        XCTAssertEqual(recorder.commit(), [0, 2])
    }

    func testAnUpdateThatLeavesTheRowUnchangedMatchesNothing() {
        var recorder = Recorder(all, a, b, row1, .fullDatabase)
        recorder.changes.beginStatement(access: StatementAccess(.update("foo", ["a"])))
        recorder.record(
            .update(
                "foo", 1,
                images: images(
                    .integer(1), .blob([1]), .real(2), to: .integer(1), .blob([1]), .real(2))))
        let (matches, changes) = recorder.changes.finish(in: &recorder.index)
        XCTAssertEqual(matches, [])
        XCTAssertTrue(changes.isEmpty)
    }

    func testAValueOfAnotherTypeIsADifferentValue() {
        var recorder = Recorder(a)
        recorder.record(
            .update("foo", 1, images: images(.null, .integer(1), .null, to: .null, .real(1), .null)))
        XCTAssertEqual(recorder.commit(), [0])
    }

    func testNoOpUpdatesMatchUnlessTheyAreIgnored() {
        var recorder = Recorder(all, a, b, row1)
        recorder.ignoresNoOpUpdates = false
        recorder.changes.beginStatement(access: StatementAccess(.update("foo", ["a"])))
        recorder.record(
            .update("foo", 1, images: images(.null, .null, .null, to: .null, .null, .integer(1))))
        XCTAssertEqual(recorder.commit(), [0, 1, 3])
    }

    func testARowWithAnotherKeyHasChanged() {
        let rowID = DatabaseRegion(table: "foo", columns: ["rowid"])
        var recorder = Recorder(all, a, row1, rowID)
        recorder.record(
            .update("foo", 1, to: 2, images: images(.null, .null, .null, to: .null, .null, .null)))
        XCTAssertEqual(recorder.commit(), [0, 1, 2, 3])
        recorder.record(
            .update("foo", 2, images: images(.null, .null, .null, to: .null, .null, .integer(1))))
        XCTAssertEqual(recorder.commit(), [0])
    }

    func testAColumnMissingFromTheImagesMayChangeWithTheRow() {
        var recorder = Recorder(DatabaseRegion(table: "foo", columns: ["virtual"]), a)
        recorder.record(
            .update("foo", 1, images: images(.null, .null, .null, to: .null, .null, .integer(1))))
        XCTAssertEqual(recorder.commit(), [0])
    }

    func testAnAlteredTableIsComparedByItsCurrentColumns() {
        var recorder = Recorder(a, b)
        let before = FakeImages(["a"], old: [.null], new: [.integer(1)])
        let after = FakeImages(["b", "a"], old: [.null, .null], new: [.integer(1), .null])
        recorder.record(.update("foo", 1, images: before))
        recorder.record(.update("foo", 1, images: after))
        XCTAssertEqual(recorder.commit(), [0, 1])
    }

    func testValuesAreNotComparedWithoutArmedObservers() {
        var recorder = Recorder(row1)
        let other = images(.null, .null, .null, to: .null, .null, .null)
        recorder.record(.update("foo", 2, images: other))
        XCTAssertEqual(other.readCount, 0)
        recorder.record(.insert("foo", 1))
        let late = images(.null, .null, .null, to: .null, .null, .null)
        recorder.record(.update("foo", 1, images: late))
        XCTAssertEqual(late.readCount, 0)
        XCTAssertEqual(recorder.commit(), [0])
    }
}
