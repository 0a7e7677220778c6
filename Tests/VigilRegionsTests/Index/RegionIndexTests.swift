import VigilRegions
import VigilStorage
import XCTest

/// Matching changes with observers.
final class RegionIndexTests: XCTestCase {
    private let table = DatabaseRegion(table: "foo")
    private let a = DatabaseRegion(table: "foo", columns: ["a"])
    private let row1 = DatabaseRegion(table: "foo", rowIds: [1])
    private let a1 = DatabaseRegion(table: TableName(name: "foo"), columns: ["a"], rowIds: [1])

    func testAnInsertMatchesTheTableAndTheRow() {
        var index = index(table, a, row1, a1, .fullDatabase)
        XCTAssertEqual(index.matches(of: .insert("foo", 1)), [0, 1, 2, 3, 4])
    }

    func testAnInsertOfAnotherRowDoesNotMatchTheRow() {
        var index = index(table, a, row1, a1, .fullDatabase)
        XCTAssertEqual(index.matches(of: .insert("foo", 2)), [0, 1, 4])
    }

    func testADeleteMatchesTheTableAndTheRow() {
        var index = index(table, a, row1, DatabaseRegion(table: "foo", rowIds: [2]))
        XCTAssertEqual(index.matches(of: .delete("foo", 1)), [0, 1, 2])
    }

    func testAnUpdateOfAnotherColumnDoesNotMatchTheObserver() {
        var index = index(table, a, row1, a1)
        XCTAssertEqual(index.matches(of: .update("foo", 1, ["b"])), [0, 2])
    }

    func testAnUpdateMatchesTheObserversOfItsColumns() {
        var index = index(table, a, row1, a1, DatabaseRegion(table: "foo", columns: ["b", "c"]))
        XCTAssertEqual(index.matches(of: .update("foo", 1, ["A", "z"])), [0, 1, 2, 3])
    }

    func testAnUpdateOfUnknownColumnsMatchesAllColumns() {
        var index = index(table, a, row1, a1)
        XCTAssertEqual(index.matches(of: .update("foo", 1)), [0, 1, 2, 3])
    }

    func testAnUpdateThatChangesNothingMatchesNoObserver() {
        var index = index(table, a, row1, a1, .fullDatabase)
        XCTAssertEqual(index.matches(of: .update("foo", 1, [])), [])
    }

    func testAnUpdateOfTheRowIDMatchesTheOldAndTheNewRow() {
        let row9 = DatabaseRegion(table: "foo", rowIds: [9])
        var index = index(a1, row9, DatabaseRegion(table: "foo", rowIds: [5]))
        var matches: [RegionMatch] = []
        index.match(.update("foo", 1, to: 9, ["id"]), into: &matches)
        XCTAssertEqual(matches.map(\.observer), [ObserverID(0), ObserverID(1)])
        XCTAssertEqual(matches.map(\.reason.description), ["update of foo 1", "update of foo 9"])
    }

    func testARowThatMovesMatchesAllRegionsWithRowsOfTheTable() {
        let others = DatabaseRegion(table: "bar", columns: ["a"])
        for ignoresNoOps in [true, false] {
            func matches(of move: RowChangeSummary) -> [Int] {
                var index = index(table, a, others, .fullDatabase)
                return index.matches(of: move)
            }
            var move = RowChangeSummary.update("foo", 1, to: 9, ["id"])
            move.ignoresNoOps = ignoresNoOps
            XCTAssertEqual(matches(of: move), [0, 1, 3])
            move.oldKey = .values([.text("x")])
            move.newKey = .values([.text("y")])
            XCTAssertEqual(matches(of: move), [0, 1, 3])
            move.newKey = move.oldKey
            XCTAssertEqual(matches(of: move), [0, 3])
        }
    }

    func testAnUnknownKeyMayIdentifyAnyRow() {
        var index = index(table, a, row1, a1)
        let update = RowChangeSummary(
            table: TableName(name: "foo"), kind: .update, oldKey: .unknown, newKey: .unknown,
            updatedColumns: .some(ColumnSet(["b"]), compared: nil))
        XCTAssertEqual(index.matches(of: update), [0, 1, 2, 3])
    }

    func testAKeyOfValuesMayIdentifyAnyRow() {
        var index = index(table, row1, a1)
        let key = RowKey.values([.text("x")])
        let update = RowChangeSummary(
            table: TableName(name: "foo"), kind: .update, oldKey: key, newKey: key,
            updatedColumns: .some(ColumnSet(["b"]), compared: nil))
        XCTAssertEqual(index.matches(of: update), [0, 1])
        let deletion = RowChangeSummary(
            table: TableName(name: "foo"), kind: .delete, oldKey: key, newKey: nil)
        XCTAssertEqual(index.matches(of: deletion), [2])
    }

    func testAnyUpdateMatchesAColumnThatWasNotCompared() {
        let virtual = DatabaseRegion(table: "foo", columns: ["virtual"])
        let virtual1 = DatabaseRegion(
            table: TableName(name: "foo"), columns: ["virtual"], rowIds: [1])
        var index = index(a, virtual, virtual1)
        var update = RowChangeSummary.update("foo", 1)
        update.updatedColumns = .some(ColumnSet(["b"]), compared: ColumnSet(["a", "b"]))
        XCTAssertEqual(index.matches(of: update), [1, 2])
        index.insert(ObserverID(3), region: DatabaseRegion(table: "foo", columns: ["a", "hidden"]))
        XCTAssertEqual(index.matches(of: update), [3])
    }

    func testTablesOfDifferentSchemasAreDifferentTables() {
        let aux = TableName(schema: "aux", name: "foo")
        var index = index(table, DatabaseRegion(table: aux))
        XCTAssertEqual(index.matches(of: .insert("foo", 1)), [0])
        let insertion = RowChangeSummary(table: aux, kind: .insert, oldKey: nil, newKey: .integer(1))
        XCTAssertEqual(index.matches(of: insertion), [1])
    }

    func testTableNamesIgnoreCase() {
        var index = index(table, row1)
        XCTAssertEqual(index.matches(of: .insert("FOO", 1)), [0, 1])
    }

    func testACoarseChangeOfATableMatchesAllItsObservers() {
        var index = index(table, a, row1, a1, DatabaseRegion(table: "bar"), .fullDatabase)
        var matches: [RegionMatch] = []
        index.match(anyRowOf: TableName(name: "foo"), into: &matches)
        XCTAssertEqual(matches.map(\.observer.rawValue).sorted(), [0, 1, 2, 3, 5])
        XCTAssertTrue(matches.allSatisfy { $0.reason == .table(TableName(name: "foo")) })
    }

    func testACoarseChangeOfTheDatabaseMatchesAllNonemptyRegions() {
        var index = index(table, DatabaseRegion(), row1, DatabaseRegion(table: "bar"), .fullDatabase)
        var matches: [RegionMatch] = []
        index.matchAnything(into: &matches)
        XCTAssertEqual(matches.map(\.observer.rawValue).sorted(), [0, 2, 3, 4])
        XCTAssertTrue(matches.allSatisfy { $0.reason == .database })
    }

    func testAMatchReportsItsChange() {
        var index = index(row1, DatabaseRegion(table: "foo", rowIds: [2]), .fullDatabase)
        var matches: [RegionMatch] = []
        index.match(.delete("foo", 1), into: &matches)
        index.match(.insert("foo", 2), into: &matches)
        XCTAssertEqual(
            matches.sorted { $0.observer < $1.observer }.map(\.reason.description),
            ["delete of foo 1", "insert of foo 2", "delete of foo 1"])
    }
}
