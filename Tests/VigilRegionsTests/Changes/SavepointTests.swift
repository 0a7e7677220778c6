import VigilRegions
import VigilStorage
import XCTest

final class SavepointTests: XCTestCase {
    private let foo = DatabaseRegion(table: "foo")
    private let bar = DatabaseRegion(table: "bar")

    func testARollbackToASavepointDropsTheChangesSinceIt() {
        var recorder = Recorder(foo, bar)
        recorder.record(.insert("foo", 1))
        recorder.changes.didBeginSavepoint("s")
        recorder.record(.insert("bar", 1))
        recorder.rollback(to: "s")
        let (matches, changes) = recorder.changes.finish(in: &recorder.index)
        XCTAssertEqual(matches.map(\.observer), [ObserverID(0)])
        XCTAssertTrue(foo.isModified(by: changes))
        XCTAssertFalse(bar.isModified(by: changes))
    }

    func testAReleaseKeepsTheChangesOfTheSavepoint() {
        var recorder = Recorder(foo, bar)
        recorder.changes.didBeginSavepoint("s")
        recorder.record(.insert("bar", 1))
        recorder.changes.didRelease("s")
        let (matches, changes) = recorder.changes.finish(in: &recorder.index)
        XCTAssertEqual(matches.map(\.observer), [ObserverID(1)])
        XCTAssertTrue(bar.isModified(by: changes))
    }

    func testAnObserverMatchedByUndoneChangesMatchesAgain() {
        var recorder = Recorder(foo)
        recorder.changes.didBeginSavepoint("s")
        recorder.record(.insert("foo", 1))
        XCTAssertFalse(recorder.index.hasArmedObservers(of: TableName(name: "foo")))
        recorder.rollback(to: "s")
        XCTAssertTrue(recorder.index.hasArmedObservers(of: TableName(name: "foo")))
        recorder.record(.insert("foo", 2))
        let matches = recorder.changes.finish(in: &recorder.index).matches
        XCTAssertEqual(matches.map(\.reason.description), ["insert of foo 2"])
    }

    func testAnObserverMatchedBeforeTheSavepointStaysMatched() {
        var recorder = Recorder(foo)
        recorder.record(.insert("foo", 1))
        recorder.changes.didBeginSavepoint("s")
        recorder.record(.insert("foo", 2))
        recorder.rollback(to: "s")
        XCTAssertEqual(recorder.commit(), [0])
    }

    func testARollbackToASavepointKeepsItOpen() {
        var recorder = Recorder(foo, bar)
        recorder.changes.didBeginSavepoint("s")
        recorder.record(.insert("foo", 1))
        recorder.rollback(to: "s")
        recorder.record(.insert("bar", 1))
        recorder.rollback(to: "s")
        XCTAssertEqual(recorder.commit(), [])
    }

    func testARollbackToASavepointUndoesInnerSavepoints() {
        var recorder = Recorder(foo, bar)
        recorder.changes.didBeginSavepoint("outer")
        recorder.changes.didBeginSavepoint("released")
        recorder.record(.insert("foo", 1))
        recorder.changes.didRelease("released")
        recorder.changes.didBeginSavepoint("open")
        recorder.record(.insert("bar", 1))
        recorder.rollback(to: "outer")
        recorder.changes.didRelease("open")
        XCTAssertEqual(recorder.commit(), [])
    }

    func testAReleaseReleasesInnerSavepoints() {
        var recorder = Recorder(foo, bar)
        recorder.changes.didBeginSavepoint("first")
        recorder.changes.didBeginSavepoint("outer")
        recorder.changes.didBeginSavepoint("inner")
        recorder.record(.insert("foo", 1))
        recorder.changes.didRelease("outer")
        recorder.rollback(to: "inner")
        XCTAssertEqual(recorder.changes.isEmpty, false)
        recorder.rollback(to: "first")
        XCTAssertTrue(recorder.changes.isEmpty)
    }

    func testSavepointsOfTheSameNameNestRegardlessOfCase() {
        var recorder = Recorder(foo, bar)
        recorder.changes.didBeginSavepoint("s")
        recorder.record(.insert("foo", 1))
        recorder.changes.didBeginSavepoint("S")
        recorder.record(.insert("bar", 1))
        recorder.rollback(to: "s")
        recorder.changes.didRelease("s")
        XCTAssertEqual(recorder.commit(), [0])
    }

    func testAnUnknownSavepointIsIgnored() {
        var recorder = Recorder(foo)
        recorder.record(.insert("foo", 1))
        recorder.changes.didRelease("s")
        recorder.rollback(to: "s")
        XCTAssertEqual(recorder.commit(), [0])
    }

    func testACommitEndsAllSavepoints() {
        var recorder = Recorder(foo)
        recorder.changes.didBeginSavepoint("s")
        recorder.record(.insert("foo", 1))
        XCTAssertEqual(recorder.commit(), [0])
        recorder.record(.insert("foo", 1))
        recorder.rollback(to: "s")
        XCTAssertEqual(recorder.commit(), [0])
    }

    func testARollbackEndsAllSavepoints() {
        var recorder = Recorder(foo)
        recorder.changes.didBeginSavepoint("s")
        recorder.changes.reset(in: &recorder.index)
        recorder.record(.insert("foo", 1))
        recorder.rollback(to: "s")
        XCTAssertEqual(recorder.commit(), [0])
    }

    func testAnObserverWithAReplacedRegionIsRearmedWithIt() {
        var recorder = Recorder(foo)
        recorder.changes.didBeginSavepoint("s")
        recorder.record(.insert("foo", 1))
        recorder.index.replaceRegion(of: ObserverID(0), with: bar)
        recorder.rollback(to: "s")
        recorder.record(.insert("foo", 1))
        XCTAssertFalse(recorder.index.isMatched(ObserverID(0)))
        recorder.record(.insert("bar", 1))
        XCTAssertEqual(recorder.commit(), [0])
    }
}
