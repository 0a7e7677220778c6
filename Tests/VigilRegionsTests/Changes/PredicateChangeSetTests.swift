import VigilRegions
import VigilStorage
import XCTest

/// Change sets that are compared with regions that were not registered when the changes were collected.
final class PredicateChangeSetTests: XCTestCase {
    private func team(_ team: Int64) -> DatabaseRegion {
        DatabaseRegion("foo", ["team"], where: [[.equals("team", .integer(team))]])
    }

    private func images(_ team: StorageValue) -> FakeImages {
        FakeImages(["team", "name"], old: nil, new: [team, .null])
    }

    private func commit(_ recorder: inout Recorder, _ teams: StorageValue...) -> ChangeSet {
        for (number, team) in teams.enumerated() {
            recorder.record(.row(.insert("foo", Int64(number)), images: images(team)))
        }
        return recorder.changes.finish(in: &recorder.index).changes
    }

    func testACommitDoesNotModifyARegionWhoseConditionsNoRowMeets() {
        var recorder = Recorder(team(1))
        let changes = commit(&recorder, .integer(6), .integer(7))
        XCTAssertFalse(team(5).isModified(by: changes))
        XCTAssertTrue(team(6).isModified(by: changes))
        XCTAssertTrue(DatabaseRegion(table: "foo").isModified(by: changes))
        let name = DatabaseRegion("foo", nil, where: [[.equals("name", .integer(1))]])
        XCTAssertTrue(name.isModified(by: changes))
    }

    func testTextIsComparedWithTheCollationOfTheRegion() {
        var recorder = Recorder(team(1))
        let changes = commit(&recorder, .text("Reds"))
        func region(_ collation: RowCondition.Collation) -> DatabaseRegion {
            DatabaseRegion("foo", nil, where: [[.equals("team", .text("REDS"), collation: collation)]])
        }
        XCTAssertFalse(region(.binary).isModified(by: changes))
        XCTAssertTrue(region(.nocase).isModified(by: changes))
    }

    func testValuesAreNotCollectedWithoutConditionsOnTheTable() {
        var recorder = Recorder(DatabaseRegion(table: "foo"))
        XCTAssertTrue(team(5).isModified(by: commit(&recorder, .integer(6))))
    }

    func testARowWithUnknownValuesMayMeetAnyCondition() {
        var recorder = Recorder(team(1))
        recorder.record(.insert("foo", 8))
        XCTAssertTrue(team(5).isModified(by: commit(&recorder, .integer(6))))
        recorder.record(.row(.insert("foo", 7), images: images(.integer(6))))
        recorder.record(.insert("foo", 8))
        XCTAssertTrue(team(5).isModified(by: commit(&recorder, .integer(6))))
    }

    func testAfterManyRowsAnyValueMayHaveBeenWritten() {
        var recorder = Recorder(team(1))
        for number in 0..<10_000 {
            recorder.record(.row(.insert("foo", Int64(number)), images: images(.integer(6))))
        }
        let changes = recorder.changes.finish(in: &recorder.index).changes
        XCTAssertTrue(team(5).isModified(by: changes))
    }

    func testAUnionContainsTheValuesOfBothSets() {
        var recorder = Recorder(team(1))
        let one = commit(&recorder, .integer(6))
        let two = commit(&recorder, .integer(7))
        XCTAssertFalse(team(5).isModified(by: one.union(two)))
        XCTAssertTrue(team(7).isModified(by: one.union(two)))
        XCTAssertTrue(team(6).isModified(by: two.union(one)))
        var other = Recorder()
        XCTAssertTrue(team(5).isModified(by: one.union(commit(&other, .integer(6)))))
        XCTAssertFalse(team(5).isModified(by: one.union(ChangeSet())))
        XCTAssertFalse(team(5).isModified(by: ChangeSet().union(one)))
    }

    func testConditionsOnTheRowIDAreComparedWithTheRowIDs() {
        var recorder = Recorder()
        let changes = commit(&recorder, .integer(6), .integer(7))
        XCTAssertTrue(DatabaseRegion("foo", ["a"], where: [[.rowID(1)]]).isModified(by: changes))
        XCTAssertFalse(DatabaseRegion("foo", ["a"], where: [[.rowID(2)]]).isModified(by: changes))
    }

    func testUpdatesModifyRowCountsOnlyWhenNoOpsCount() {
        let count = DatabaseRegion("foo", [])
        for ignores in [true, false] {
            var recorder = Recorder(count)
            recorder.ignoresNoOpUpdates = ignores
            recorder.changes.beginStatement(access: StatementAccess(.update("foo", ["a"])))
            recorder.record(.update("foo", 1))
            XCTAssertEqual(
                count.isModified(by: recorder.changes.finish(in: &recorder.index).changes), !ignores)
        }
    }
}
