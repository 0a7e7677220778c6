import VigilRegions
import VigilStorage
import VigilTestSupport
import XCTest

/// The algebra of regions with conditions on rows.
final class PredicateAlgebraTests: XCTestCase {
    private func player(_ conditions: [RowCondition]...) -> DatabaseRegion {
        DatabaseRegion("player", ["team", "score"], where: conditions)
    }

    private let team5 = RowCondition.equals("team", .integer(5))
    private let team6 = RowCondition.equals("team", .integer(6))

    private var highScore: RowCondition {
        RowCondition(.named("score"), .range(lower: .init(.integer(3), isIncluded: false), upper: nil))
    }

    func testTheDescriptionOmitsConditions() {
        XCTAssertEqual(player([team5]).description, "player(score,team)")
        XCTAssertEqual(player([.rowID(1)]).description, "player(score,team)")
        XCTAssertNil(player([.rowID(1)]).tables.first?.rowIDs)
    }

    func testTheDebugDescriptionShowsConditions() {
        XCTAssertEqual(player([team5]).debugDescription, "player(score,team){team = 5}")
        XCTAssertEqual(
            player([team5, highScore], [.rowID(7)]).debugDescription,
            "player(score,team){rowid = 7 OR score > 3 AND team = 5}")
        XCTAssertEqual(player([team5]).tables.map(\.debugDescription), ["player(score,team){team = 5}"])
        XCTAssertEqual(DatabaseRegion(table: "player", rowIds: [1]).debugDescription, "player(*)[1]")
        XCTAssertEqual(DatabaseRegion().debugDescription, "empty")
        XCTAssertEqual(DatabaseRegion.fullDatabase.debugDescription, "full database")
    }

    func testTheDebugDescriptionShowsEveryKindOfTest() {
        let bound = RowCondition.Bound(.text("it's"), isIncluded: true)
        let conditions = [
            RowCondition(.named("a"), .isNull), RowCondition(.named("b"), .isNotNull),
            RowCondition(.named("c"), .range(lower: nil, upper: bound), collation: .nocase),
            .equals("d", .blob([1, 255]), .real(1.5)), .range("e", .integer(1), .real(2)),
        ]
        XCTAssertEqual(
            DatabaseRegion("foo", nil, where: [conditions]).debugDescription,
            "foo(*){a IS NULL AND b IS NOT NULL AND c <= 'it''s' COLLATE NOCASE AND d IN (1.5,x'01ff') "
                + "AND e >= 1 AND e < 2}")
    }

    func testEqualityComparesConditions() {
        XCTAssertEqual(player([team5]), player([team5]))
        XCTAssertEqual(player([team5, highScore]), player([highScore, team5]))
        XCTAssertEqual(player([team5], [highScore]), player([highScore], [team5], [team5]))
        XCTAssertNotEqual(player([team5]), player([team6]))
        XCTAssertNotEqual(player([team5]), DatabaseRegion("player", ["team", "score"]))
        XCTAssertEqual(player([.equals("TEAM", .real(5))]), player([team5]))
        XCTAssertNotEqual(
            player([.equals("name", .text("\u{e9}"))]), player([.equals("name", .text("e\u{301}"))]))
    }

    func testAConditionThatEveryRowMeetsIsDropped() {
        XCTAssertEqual(player([]), DatabaseRegion("player", ["team", "score"]))
        XCTAssertEqual(player([team5], []), DatabaseRegion("player", ["team", "score"]))
        XCTAssertEqual(player([.equals("team", .null)]), DatabaseRegion("player", ["team", "score"]))
    }

    func testARegionWithAnUnsatisfiableConditionIsNeverModified() {
        let nobody = player([.equals("team")])
        XCTAssertEqual(nobody.debugDescription, "player(score,team){no row}")
        XCTAssertFalse(nobody.isEmpty)
        XCTAssertFalse(nobody.isModified(by: .insert("player", 1)))
        XCTAssertEqual(nobody, player([team5, team6]))
        XCTAssertEqual(nobody.union(player([team5])), player([team5]))
    }

    // MARK: Union

    func testAUnionKeepsBothConditions() {
        XCTAssertEqual(player([team5]).union(player([team6])), player([team5], [team6]))
        XCTAssertEqual(
            player([team5]).union(player([highScore])).debugDescription,
            "player(score,team){score > 3 OR team = 5}")
        XCTAssertEqual(player([team6]).union(player([team5])), player([team5]).union(player([team6])))
    }

    func testAUnionWithAnUnconditionalRegionIsUnconditional() {
        let all = DatabaseRegion("player", ["team"])
        XCTAssertEqual(player([team5]).union(all).debugDescription, "player(score,team)")
        XCTAssertEqual(all.union(player([team5])).debugDescription, "player(score,team)")
    }

    func testAUnionOfConditionsAndRowIDsKeepsBothAsConditions() {
        let row1 = DatabaseRegion(table: "player", rowIds: [1])
        XCTAssertEqual(player([team5]).union(row1).debugDescription, "player(*){rowid = 1 OR team = 5}")
        XCTAssertEqual(player([team5]).union(row1).description, "player(*)")
    }

    func testAUnionOfManyEqualitiesKeepsThem() {
        var region = DatabaseRegion()
        for team in 0..<1_000 { region.formUnion(player([.equals("team", .integer(Int64(team)))])) }
        XCTAssertTrue(region.isModified(by: .insert("player", 1)))
        let images = FakeImages(["team"], old: nil, new: [.integer(5_000)])
        XCTAssertFalse(region.isModified(by: .insert("player", 1), images: images))
    }

    func testTooManyConditionsAreDropped() {
        var values = DatabaseRegion()
        for team in 0..<1_100 { values.formUnion(player([.equals("team", .integer(Int64(team)))])) }
        XCTAssertEqual(values.debugDescription, "player(score,team)")
        var conjunctions = DatabaseRegion()
        for team in 0..<70 {
            conjunctions.formUnion(player([.equals("team", .integer(Int64(team))), highScore]))
        }
        XCTAssertEqual(conjunctions.debugDescription, "player(score,team)")
    }

    // MARK: Intersection

    func testAnIntersectionHasTheConditionsOfBoth() {
        let all = DatabaseRegion("player", ["team", "score"])
        XCTAssertEqual(player([team5]).intersection(all), player([team5]))
        XCTAssertEqual(all.intersection(player([team5])), player([team5]))
        XCTAssertEqual(player([team5]).intersection(player([highScore])), player([team5, highScore]))
        XCTAssertEqual(
            player([team5]).intersection(player([team6])).debugDescription, "player(score,team){no row}")
        XCTAssertEqual(
            player([team5], [team6]).intersection(player([team6])), player([team6]))
    }

    func testAnIntersectionWithTooManyConditionsKeepsThoseOfOneRegion() {
        func many(_ column: String) -> DatabaseRegion {
            DatabaseRegion(
                "player", nil, where: (0..<10).map { [.range(column, .integer($0), .integer($0 + 1))] })
        }
        XCTAssertEqual(many("a").intersection(many("b")), many("a"))
    }

    // MARK: Counting rows

    func testTheAlgebraTreatsRowCountsAsReadsOfAllColumns() {
        let count = DatabaseRegion("foo", [])
        XCTAssertEqual(count.description, "foo(*)")
        XCTAssertNil(count.tables.first?.columns)
        XCTAssertEqual(count.intersection(DatabaseRegion("foo", ["a"])), DatabaseRegion("foo", ["a"]))
        XCTAssertEqual(count.intersection(DatabaseRegion("foo", nil)), count)
        XCTAssertEqual(count.union(DatabaseRegion("foo", nil)), DatabaseRegion("foo", nil))
        XCTAssertEqual(count.union(DatabaseRegion("foo", ["a"])).description, "foo(*)")
    }

    func testAUnionOfARowCountAndColumnsDependsOnTheColumns() {
        let both = DatabaseRegion("foo", []).union(DatabaseRegion("foo", ["a"]))
        XCTAssertTrue(both.isModified(by: .update("foo", 1, ["a"])))
        XCTAssertTrue(both.isModified(by: .update("foo", 1, to: 2, ["id"])))
        XCTAssertFalse(both.isModified(by: .update("foo", 1, ["b"])))
    }

    /// A change modifies a union if it modifies either region, and an intersection if it modifies both.
    func testRandomUnionsAndIntersectionsAgreeWithANaiveModel() {
        var random = SeededRandom.seeded()
        print("seed of \(name): VIGIL_SEED=\(random.seed)")
        let columns = ["a", "b"]
        for _ in 0..<RandomTestSettings.rounds(1_250) {
            let conditions = (0..<2).map { _ in RandomPredicates.conjunctions(columns, [1, 2], &random) }
            let regions = conditions.map { DatabaseRegion("foo", nil, where: $0) }
            let values = columns.map { _ in RandomPredicates.value(&random) }
            let images = FakeImages(columns, old: nil, new: values)
            let known = Dictionary(uniqueKeysWithValues: zip(columns, values))
            let meets = conditions.map { NaivePredicates.mayMeet($0, .integer(1), known) }
            let row = RowChangeSummary.insert("foo", 1)
            XCTAssertEqual(regions.map { $0.isModified(by: row, images: images) }, meets)
            XCTAssertEqual(
                regions[0].union(regions[1]).isModified(by: row, images: images), meets[0] || meets[1],
                "\(regions) \(values)")
            XCTAssertEqual(
                regions[0].intersection(regions[1]).isModified(by: row, images: images),
                meets[0] && meets[1], "\(regions) \(values)")
        }
    }
}
