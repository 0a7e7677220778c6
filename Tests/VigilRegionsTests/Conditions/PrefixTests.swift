import VigilStorage
import XCTest

@testable import VigilRegions

/// Conditions on the prefix of a text.
final class PrefixTests: XCTestCase {
    private func region(_ conditions: RowCondition...) -> DatabaseRegion {
        DatabaseRegion("foo", ["name"], where: [conditions])
    }

    private func prefix(_ prefix: String, _ collation: RowCondition.Collation = .nocase) -> RowCondition {
        RowCondition(.named("name"), .prefix(prefix), collation: collation)
    }

    private func matches(_ regions: DatabaseRegion..., name: StorageValue) -> [Int] {
        var index = RegionIndex()
        for (number, region) in regions.enumerated() { index.insert(ObserverID(number), region: region) }
        return index.matches(of: .insert("foo", 1), images: FakeImages(["name"], old: nil, new: [name]))
    }

    func testTextsThatBeginWithThePrefixMatch() {
        let region = region(prefix("aB"))
        for text in ["ab", "AB", "aBc", "ab\0", "ab\u{e9}", "ab\u{301}"] {
            XCTAssertEqual(matches(region, name: .text(text)), [0], text)
        }
        for text in ["", "a", "ac", "aa", "b", "a\0b", " ab", "\u{e9}"] {
            XCTAssertEqual(matches(region, name: .text(text)), [], text)
        }
    }

    func testPrefixesFollowTheCollation() {
        XCTAssertEqual(matches(region(prefix("aB", .binary)), name: .text("aBc")), [0])
        XCTAssertEqual(matches(region(prefix("aB", .binary)), name: .text("abc")), [])
        XCTAssertEqual(matches(region(prefix("a ", .rtrim)), name: .text("a b")), [0])
        XCTAssertEqual(matches(region(prefix("a ", .rtrim)), name: .text("a")), [])
    }

    func testValuesOtherThanTextAndNullMatchAnyPrefix() {
        for value in [StorageValue.integer(1), .real(1.5), .blob([]), .blob([0x78])] {
            XCTAssertEqual(matches(region(prefix("ab")), region(prefix("x", .binary)), name: value), [0, 1])
        }
        XCTAssertEqual(matches(region(prefix("ab")), name: .null), [])
    }

    func testAnUpdateMatchesThePrefixesOfTheOldAndTheNewValue() {
        var recorder = Recorder(region(prefix("ab")), region(prefix("c")), region(prefix("x")))
        recorder.record(
            .update("foo", 1, images: FakeImages(["name"], old: [.text("Abel")], new: [.text("Cain")])))
        XCTAssertEqual(recorder.commit(), [0, 1])
    }

    func testPrefixesCombineWithOtherConditions() {
        let both = region(prefix("ab"), .equals("name", .text("x")))
        XCTAssertEqual(matches(both, name: .text("x")), [])
        XCTAssertEqual(matches(both, name: .text("ab")), [])
        let two = region(prefix("a"), prefix("abc", .binary))
        XCTAssertEqual(matches(two, name: .text("abcd")), [0])
        XCTAssertEqual(matches(two, name: .text("aBcd")), [])
    }

    func testTheDebugDescriptionShowsPrefixes() {
        XCTAssertEqual(
            region(prefix("it's"), prefix("B", .binary)).debugDescription,
            "foo(name){name BEGINS 'B' AND name BEGINS 'it''s' COLLATE NOCASE}")
    }

    func testEqualityIgnoresDifferencesWithoutEffect() {
        XCTAssertEqual(region(prefix("ab")), region(prefix("AB")))
        XCTAssertNotEqual(region(prefix("ab", .binary)), region(prefix("AB", .binary)))
        XCTAssertNotEqual(region(prefix("ab")), region(prefix("ab", .binary)))
        XCTAssertEqual(region(prefix("a"), prefix("b")), region(prefix("b"), prefix("a"), prefix("a")))
    }

    // MARK: - Cost

    private func index(ofPrefixes count: Int) -> RegionIndex {
        var index = RegionIndex()
        for number in 0..<count {
            index.insert(ObserverID(number), region: region(prefix("n\(number).", .binary)))
        }
        return index
    }

    /// Returns the numbers of visited groups and nodes, and of matches, for the change of one row.
    private func cost(_ index: RegionIndex, name: StorageValue) -> (visits: Int, matches: Int) {
        var index = index
        let before = index.visitCount
        let matches = index.matches(
            of: .insert("foo", 1), images: FakeImages(["name"], old: nil, new: [name]))
        return (index.visitCount - before, matches.count)
    }

    func testPrefixesAreFoundInATree() {
        let index = index(ofPrefixes: 2_000)
        let (one, none) = (cost(index, name: .text("n77.x")), cost(index, name: .text("n.")))
        XCTAssertEqual(one.matches, 1)
        XCTAssertLessThan(one.visits, 100)
        XCTAssertEqual(none.matches, 0)
        XCTAssertLessThan(none.visits, 100)
        XCTAssertEqual(cost(index, name: .null).visits, 0)
        XCTAssertEqual(cost(self.index(ofPrefixes: 1_000), name: .blob([0x6e])).matches, 1_000)
    }

    func testMatchedPrefixesAreNotVisitedAgain() {
        var index = RegionIndex()
        for number in 0..<1_000 { index.insert(ObserverID(number), region: region(prefix("n\(number)."))) }
        let blob = FakeImages(["name"], old: nil, new: [.blob([1])])
        XCTAssertEqual(index.matches(of: .insert("foo", 1), images: blob).count, 1_000)
        let before = index.visitCount
        XCTAssertEqual(index.matches(of: .insert("foo", 2), images: blob), [])
        XCTAssertLessThan(index.visitCount - before, 10)
    }

    func testAPrefixIsAnIntervalOfTexts() {
        func upper(_ bytes: [UInt8]) -> ComparisonKey? { Interval(textsWithPrefix: bytes).upper?.key }
        XCTAssertEqual(upper([0x61, 0x62]), .text([0x61, 0x63]))
        XCTAssertEqual(upper([0x61, 0xff, 0xff]), .text([0x62]))
        XCTAssertEqual(upper([0xff]), .blob([]))
        XCTAssertEqual(upper([]), .blob([]))
    }

    // MARK: - Removal

    func testPrefixesCanBeRemovedFromARegion() {
        let team = RowCondition.equals("team", .integer(5))
        XCTAssertEqual(region(prefix("a"), team).without(.prefixes), region(team))
        XCTAssertEqual(
            region(prefix("a")).without(.prefixes), DatabaseRegion(table: "foo", columns: ["name"]))
        XCTAssertEqual(
            DatabaseRegion("foo", nil, where: [[team], [prefix("a")]]).without(.prefixes),
            DatabaseRegion(table: "foo"))
        XCTAssertEqual(region(team).without(.prefixes), region(team))
        XCTAssertEqual(DatabaseRegion.fullDatabase.without(.prefixes), .fullDatabase)
    }

    func testConditionsOnTextCanBeRemovedFromARegion() {
        func text(_ collation: RowCondition.Collation) -> RowCondition {
            RowCondition(.named("name"), .oneOf([.text("a"), .integer(1)]), collation: collation)
        }
        let number = RowCondition(.named("team"), .oneOf([.integer(5)]), collation: .nocase)
        let doubtful = DoubtfulConditions.comparing(byCollationNamed: "NoCase")
        XCTAssertEqual(region(text(.nocase), number).without(doubtful), region(number))
        XCTAssertEqual(region(text(.binary), number).without(doubtful), region(text(.binary), number))
        XCTAssertEqual(region(text(.binary), prefix("a")).without(.text), region(prefix("a")))
        let range = RowCondition(
            .named("name"), .range(lower: .init(.text("a"), isIncluded: true), upper: nil), collation: .rtrim)
        XCTAssertEqual(region(range, number).without(.text), region(number))
        XCTAssertEqual(DoubtfulConditions.comparing(byCollationNamed: "own"), [])
    }
}
