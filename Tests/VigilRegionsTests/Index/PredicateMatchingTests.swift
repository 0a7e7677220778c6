import VigilRegions
import VigilStorage
import XCTest

/// Matching changes with observers that have conditions.
final class PredicateMatchingTests: XCTestCase {
    private let team5 = DatabaseRegion("foo", ["team", "score"], where: [[.equals("team", .integer(5))]])
    private let team6 = DatabaseRegion("foo", ["team", "score"], where: [[.equals("team", .integer(6))]])

    /// Returns images with the values of `id`, `team`, `score` and `name` before and after a change.
    private func images(_ old: [StorageValue]?, _ new: [StorageValue]?) -> FakeImages {
        FakeImages(["id", "team", "score", "name"], old: old, new: new)
    }

    private func row(team: StorageValue, score: Int64 = 0, name: String = "") -> [StorageValue] {
        [.integer(1), team, .integer(score), .text(name)]
    }

    private func region(_ conditions: RowCondition...) -> DatabaseRegion {
        DatabaseRegion("foo", ["team", "score"], where: [conditions])
    }

    func testAnInsertMatchesConditionsThatTheRowMeets() {
        var recorder = Recorder(team5, team6, DatabaseRegion(table: "foo"))
        recorder.record(.row(.insert("foo", 1), images: images(nil, row(team: .integer(5)))))
        XCTAssertEqual(recorder.commit(), [0, 2])
        recorder.record(.row(.insert("foo", 1), images: images(nil, row(team: .integer(7)))))
        XCTAssertEqual(recorder.commit(), [2])
    }

    func testADeleteMatchesConditionsThatTheRowMet() {
        var recorder = Recorder(team5, team6)
        recorder.record(.row(.delete("foo", 1), images: images(row(team: .integer(6)), nil)))
        XCTAssertEqual(recorder.commit(), [1])
    }

    func testAnUpdateMatchesConditionsThatTheOldOrTheNewRowMeets() {
        var recorder = Recorder(team5, team6, region(.equals("team", .integer(7))))
        recorder.record(
            .update("foo", 1, images: images(row(team: .integer(5)), row(team: .integer(6)))))
        XCTAssertEqual(recorder.commit(), [0, 1])
    }

    func testAnUpdateOfAReadColumnMatchesConditionsThatTheRowMeets() {
        var recorder = Recorder(team5, team6)
        recorder.record(
            .update("foo", 1, images: images(row(team: .integer(5)), row(team: .integer(5), score: 1))))
        XCTAssertEqual(recorder.commit(), [0])
    }

    func testAnUpdateOfAnUnreadColumnMatchesNoObserver() {
        var recorder = Recorder(team5, team6)
        recorder.record(
            .update("foo", 1, images: images(row(team: .integer(5)), row(team: .integer(5), name: "x"))))
        XCTAssertEqual(recorder.commit(), [])
    }

    func testAColumnOfAConditionCountsAsRead() {
        let region = DatabaseRegion("foo", ["score"], where: [[.equals("team", .integer(5))]])
        var recorder = Recorder(region)
        recorder.record(
            .update("foo", 1, images: images(row(team: .integer(6)), row(team: .integer(5)))))
        XCTAssertEqual(recorder.commit(), [0])
    }

    func testWithoutImagesAnyRowMayMeetTheConditions() {
        var recorder = Recorder(team5, team6, region(.rowID(1), .equals("team", .integer(5))))
        recorder.record(.insert("foo", 2))
        XCTAssertEqual(recorder.commit(), [0, 1])
        recorder.changes.beginStatement(access: StatementAccess(.update("foo", ["name"])))
        recorder.record(.update("foo", 1))
        XCTAssertEqual(recorder.commit(), [])
        recorder.changes.beginStatement(access: StatementAccess(.update("foo", ["score"])))
        recorder.record(.update("foo", 1))
        XCTAssertEqual(recorder.commit(), [0, 1, 2])
    }

    func testAColumnMissingFromTheImagesMayHaveAnyValue() {
        var recorder = Recorder(
            region(.equals("virtual", .integer(1))), region(.range("virtual", nil, .null)))
        recorder.record(.row(.insert("foo", 1), images: images(nil, row(team: .null))))
        XCTAssertEqual(recorder.commit(), [0, 1])
    }

    func testAnUnavailableValueMayBeAnyValue() {
        var recorder = Recorder(team5, region(.equals("score", .integer(9))))
        let images = FakeImages(["team", "score"], old: nil, new: [.null, .null], missing: ["team"])
        recorder.record(.row(.insert("foo", 1), images: images))
        XCTAssertEqual(recorder.commit(), [0])
    }

    func testAnUnavailableValueMayHaveChangedUnlessTheImagesExcludeIt() {
        var recorder = Recorder(DatabaseRegion("foo", ["body"]), DatabaseRegion("foo", ["team"]))
        for (unchanged, matches) in [(Set<String>(), [0, 1]), (["body"], [1])] {
            let images = FakeImages(
                ["team", "body"], old: [.integer(5), .null], new: [.integer(6), .null], missing: ["body"],
                unchanged: unchanged)
            recorder.record(.update("foo", 1, images: images))
            XCTAssertEqual(recorder.commit().sorted(), matches)
        }
    }

    func testConditionsUseTheCurrentColumnsOfAnAlteredTable() {
        var recorder = Recorder(team5)
        for columns in [["team", "x"], ["x", "team"], ["x"], ["team"]] {
            for value in [Int64(5), 6] {
                let images = FakeImages(
                    columns, old: nil, new: columns.map { $0 == "team" ? .integer(value) : .integer(5) })
                recorder.record(.row(.insert("foo", 1), images: images))
                XCTAssertEqual(recorder.commit(), value == 5 || columns == ["x"] ? [0] : [])
            }
        }
    }

    // MARK: Values

    func testValuesCompareAsInSQLite() {
        func matches(_ condition: RowCondition, _ value: StorageValue) -> Bool {
            var index = index(region(condition))
            return index.matches(of: .insert("foo", 1), images: FakeImages(["c"], old: nil, new: [value]))
                == [0]
        }
        XCTAssertTrue(matches(.equals("c", .integer(5)), .real(5)))
        XCTAssertTrue(matches(.equals("c", .integer(0)), .real(-0.0)))
        XCTAssertFalse(matches(.equals("c", .integer(1 << 53 + 1)), .real(0x1p53)))
        XCTAssertTrue(matches(.equals("c", .integer(.min)), .real(-0x1p63)))
        XCTAssertFalse(matches(.equals("c", .integer(.max)), .real(0x1p63)))
        XCTAssertFalse(matches(.equals("c", .text("5")), .integer(5)))
        XCTAssertFalse(matches(.equals("c", .text("\u{e9}")), .text("e\u{301}")))
        XCTAssertFalse(matches(.equals("c", .text("A")), .text("a")))
        XCTAssertTrue(matches(.equals("c", .text("A"), collation: .nocase), .text("a")))
        XCTAssertFalse(matches(.equals("c", .text("\u{c9}"), collation: .nocase), .text("\u{e9}")))
        XCTAssertTrue(matches(.equals("c", .text("a  "), collation: .rtrim), .text("a")))
        XCTAssertFalse(matches(.equals("c", .text("a")), .blob([0x61])))
        XCTAssertTrue(matches(.range("c", .integer(3), .integer(5)), .real(4.5)))
        XCTAssertFalse(matches(.range("c", .integer(3), .integer(5)), .integer(5)))
        XCTAssertTrue(matches(.range("c", .integer(3), nil), .text("")))
        XCTAssertFalse(matches(.range("c", nil, nil), .null))
        XCTAssertTrue(matches(.range("c", .text("z"), nil), .blob([])))
        XCTAssertTrue(matches(RowCondition(.named("c"), .isNull), .null))
        XCTAssertFalse(matches(RowCondition(.named("c"), .isNotNull), .null))
    }

    // MARK: Row ids

    func testAConditionOnTheRowIDTestsTheKey() {
        var index = index(region(.rowID(1)), region(.rowID(2, 3)), region(.rowID(1), .rowID(2)))
        XCTAssertEqual(index.matches(of: .update("foo", 1, ["score"])), [0])
        XCTAssertEqual(index.matches(of: .update("foo", 2, ["name"])), [])
        XCTAssertEqual(index.matches(of: .update("foo", 2, to: 9, ["id"])), [1])
    }

    func testAnUnknownKeyMayIdentifyAnyRow() {
        let deletion = RowChangeSummary(
            table: TableName(name: "foo"), kind: .delete, oldKey: .unknown, newKey: nil)
        let mixed = DatabaseRegion("foo", nil, where: [[.rowID(1)], [.equals("team", .integer(5))]])
        var index = index(region(.rowID(1)), mixed, team5)
        XCTAssertEqual(
            index.matches(of: deletion, images: images(row(team: .integer(6)), nil)), [0, 1])
    }

    func testRowIDsAndConditionsMustBothMatch() {
        let both = DatabaseRegion(table: "foo", rowIds: [1, 2]).intersection(team5)
        XCTAssertEqual(both.debugDescription, "foo(score,team)[1,2]{team = 5}")
        var index = index(both)
        XCTAssertEqual(index.matches(of: .insert("foo", 3), images: images(nil, row(team: .integer(5)))), [])
        XCTAssertEqual(index.matches(of: .insert("foo", 1), images: images(nil, row(team: .integer(6)))), [])
        XCTAssertEqual(index.matches(of: .insert("foo", 1), images: images(nil, row(team: .integer(5)))), [0])
    }

    // MARK: Counting rows

    func testInsertsDeletesAndRowIDChangesMatchRowCounts() {
        var recorder = Recorder(DatabaseRegion("foo", []))
        recorder.record(.update("foo", 1, images: images(row(team: .null), row(team: .integer(1)))))
        XCTAssertEqual(recorder.commit(), [])
        for event in [ChangeEvent.insert("foo", 1), .delete("foo", 1), .update("foo", 1, to: 2)] {
            recorder.record(event)
            XCTAssertEqual(recorder.commit(), [0])
        }
    }

    func testAnyUpdateMatchesRowCountsWhenNoOpsCount() {
        var recorder = Recorder(DatabaseRegion("foo", []))
        recorder.ignoresNoOpUpdates = false
        recorder.changes.beginStatement(access: StatementAccess(.update("foo", ["team"])))
        recorder.record(.update("foo", 1, images: images(row(team: .null), row(team: .null))))
        XCTAssertEqual(recorder.commit(), [0])
    }

    func testWithoutImagesUpdatesOfKnownColumnsDoNotMatchRowCounts() {
        var recorder = Recorder(DatabaseRegion("foo", []))
        recorder.changes.beginStatement(access: StatementAccess(.update("foo", ["team"])))
        recorder.record(.update("foo", 1))
        XCTAssertEqual(recorder.commit(), [])
    }

    // MARK: Matches

    func testAMatchReportsItsConditionAndColumns() {
        var recorder = Recorder(
            DatabaseRegion(
                "foo", ["team", "score"],
                where: [[.equals("team", .integer(5))], [.range("score", .integer(9), nil)]]))
        recorder.record(
            .update(
                "foo", 1, images: images(row(team: .integer(1)), row(team: .integer(5), name: "x"))))
        var cause = recorder.changes.finish(in: &recorder.index).matches.first?.cause
        XCTAssertEqual(cause?.predicate, "team = 5")
        XCTAssertEqual(cause?.columns, ["team"])
        recorder.record(.row(.insert("foo", 1), images: images(nil, row(team: .null, score: 9))))
        cause = recorder.changes.finish(in: &recorder.index).matches.first?.cause
        XCTAssertEqual(cause?.predicate, "score >= 9")
        XCTAssertNil(cause?.columns)
        recorder.record(.table(TableName(name: "foo")))
        let match = recorder.changes.finish(in: &recorder.index).matches.first
        XCTAssertEqual(match?.reason, .table(TableName(name: "foo")))
        XCTAssertNil(match?.cause)
    }

    func testOnlyValuesOfColumnsWithConditionsAreRead() {
        var recorder = Recorder(team5)
        let other = images(row(team: .integer(6)), row(team: .integer(6)))
        recorder.record(.update("foo", 1, images: other))
        // The old and the new value are read twice: for matching, and for the change set.
        XCTAssertEqual(other.readCount, 4)
        recorder.record(.row(.insert("foo", 2), images: images(nil, row(team: .integer(5)))))
        let late = images(row(team: .integer(5)), row(team: .integer(6)))
        recorder.record(.update("foo", 1, images: late))
        XCTAssertEqual(late.readCount, 0)
        XCTAssertEqual(recorder.commit(), [0])
    }
}
