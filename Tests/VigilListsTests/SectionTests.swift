import VigilLists
import VigilTestSupport
import XCTest

private struct Item: Equatable, Identifiable, Sendable {
    let id: Int
    var section: Int
    var note = 0
}

final class SectionTests: XCTestCase {
    private func list(_ items: [Item]) -> ObservedList<Item> {
        ObservedList(
            items, traits: ElementTraits(comparing: Item.self, id: { AnyHashable($0.id) }))
    }

    private func sections(_ items: [Item]) -> ObservedSections<Int, Item> {
        list(items).sections { $0.section }
    }

    func testSectionsAreAdjacentRowsWithEqualIDs() {
        let items = [(1, 5), (2, 5), (3, 4), (4, 5)].map { Item(id: $0, section: $1) }
        let sections = sections(items)
        XCTAssertEqual(sections.map(\.id), [5, 4, 5])
        XCTAssertEqual(sections.map { $0.map(\.id) }, [[1, 2], [3], [4]])
        XCTAssertEqual(sections.rows.map(\.id), [1, 2, 3, 4])
        XCTAssertEqual(
            (0..<4).map(sections.path(ofRow:)), [(0, 0), (0, 1), (1, 0), (2, 0)].map(SectionPath.init))
        XCTAssertEqual(sections[SectionPath(section: 2, row: 0)].id, 4)
        XCTAssertTrue(ObservedSections<Int, Item>().isEmpty)
        XCTAssertTrue(self.sections([]).isEmpty)
        XCTAssertEqual(sections, self.sections(items))
        XCTAssertNotEqual(sections, self.sections(Array(items.dropLast())))
        XCTAssertEqual(sections.changes(since: sections), SectionChange())
    }

    func testARowThatIsTheFirstOfTheNextSectionWithoutANewOffsetMoves() {
        let old = sections([Item(id: 1, section: 1), Item(id: 2, section: 1), Item(id: 3, section: 2)])
        let new = sections([Item(id: 1, section: 1), Item(id: 2, section: 2), Item(id: 3, section: 2)])
        var change = new.changes(since: old)
        XCTAssertEqual(change.moved.map(\.from), [SectionPath(section: 0, row: 1)])
        XCTAssertEqual(change.moved.map(\.to), [SectionPath(section: 1, row: 0)])
        XCTAssertEqual(change.updated, [SectionPath(section: 1, row: 0)])
        (change.moved, change.updated) = ([], [])
        XCTAssertEqual(change, SectionChange())
    }

    func testRowsOfAMovedSectionStayInIt() {
        func item(_ id: Int, _ section: Int) -> Item { Item(id: id, section: section) }
        let old = sections([item(1, 1), item(2, 1), item(3, 2), item(4, 2), item(5, 2), item(6, 3)])
        let new = sections([item(3, 2), item(5, 2), item(4, 2), item(6, 3), item(1, 1), item(2, 1)])
        let change = new.changes(since: old)
        XCTAssertEqual(change.movedSections.map { [$0.from, $0.to] }, [[0, 2]])
        XCTAssertEqual(change.moved.map { [$0.from.section, $0.to.section] }, [[1, 0]])
        XCTAssertEqual([change.removed, change.inserted, change.updated], [[], [], []])
    }

    func testRowsOfRemovedAndInsertedSectionsLeaveAndComeWithThem() {
        let old = sections([Item(id: 1, section: 1), Item(id: 2, section: 1), Item(id: 3, section: 2)])
        let new = sections([Item(id: 1, section: 2), Item(id: 3, section: 2), Item(id: 2, section: 3)])
        let change = new.changes(since: old)
        XCTAssertEqual(Array(change.removedSections.ranges.joined()), [0])
        XCTAssertEqual(Array(change.insertedSections.ranges.joined()), [1])
        XCTAssertEqual(change.inserted, [SectionPath(section: 0, row: 0)])
        XCTAssertEqual(change.moved, [])
        XCTAssertEqual(change.removed, [])
    }

    /// The difference of such a list does not contain a row that only has another section.
    func testSectionsOfElementsThatIgnoreThemWhenTheyAreCompared() {
        func list(_ sections: [Int]) -> ObservedList<Item> {
            let items = sections.enumerated().map { Item(id: $0, section: $1) }
            let traits = ElementTraits<Item>(areEqual: { $0.id == $1.id }, id: { AnyHashable($0.id) })
            return ObservedList(items, traits: traits)
        }
        let old = list([1, 1, 2]).sections { $0.section }
        let new = list([1, 2, 2]).sections { $0.section }
        let change = new.changes(since: old)
        XCTAssertEqual(change.moved.map(\.from), [SectionPath(section: 0, row: 1)])
        XCTAssertEqual(change.moved.map(\.to), [SectionPath(section: 1, row: 0)])
        let gone = list([1, 1, 1]).sections { $0.section }
        XCTAssertEqual(gone.changes(since: old).inserted, [SectionPath(section: 0, row: 2)])
        XCTAssertEqual(old.changes(since: gone).removed, [SectionPath(section: 0, row: 2)])
    }

    /// If wrong changes were applied, random tests would check nothing.
    func testWrongChangesAreReported() throws {
        var change = SectionChange()
        XCTAssertThrowsError(try apply(change, to: [["a"]], new: [["b"]]))
        change.updated = [SectionPath(section: 0, row: 0)]
        try apply(change, to: [["a"]], new: [["b"]])
        XCTAssertThrowsError(try apply(change, to: [["a"], ["c"]], new: [["b"]]))
        change.removedSections.insert(1, within: 0..<2)
        try apply(change, to: [["a"], ["c"]], new: [["b"]])
        change.removed = [SectionPath(section: 1, row: 0)]
        XCTAssertThrowsError(try apply(change, to: [["a"], ["c"]], new: [["b"]]))
    }

    func testRandomChangesApply() {
        var random = SeededRandom.seeded()
        for round in 0..<2_000 {
            let isSorted = random.once(in: 2)
            var items = (0..<Int.random(in: 0..<12, using: &random)).map { id in
                Item(id: id, section: Int.random(in: 0..<4, using: &random))
            }
            if isSorted { items.sort { ($0.section, $0.id) < ($1.section, $1.id) } }
            let old = items
            for _ in 0..<Int.random(in: 0..<5, using: &random) {
                change(&items, id: 100 + round, &random)
            }
            if isSorted {
                // Another order of the sections.
                let factor = random.once(in: 3) ? -1 : 1
                items.sort { ($0.section * factor, $0.id) < ($1.section * factor, $1.id) }
            }
            let (before, after) = (sections(old), sections(items))
            let updated = list(items).sections(updating: before) { $0.section }
            XCTAssertEqual(updated, after)
            if let complaint = complaint(about: after.changes(since: before), from: before, to: after) {
                return XCTFail("\(complaint) from \(old) to \(items), seed \(random.seed)")
            }
        }
    }

    private func change(_ items: inout [Item], id: Int, _ random: inout SeededRandom) {
        let place = items.isEmpty ? 0 : Int.random(in: items.indices, using: &random)
        let section = Int.random(in: 0..<4, using: &random)
        switch Int.random(in: 0..<5, using: &random) {
        case 0 where !items.contains { $0.id == id }:
            items.insert(Item(id: id, section: section), at: place)
        case 1 where !items.isEmpty: items.remove(at: place)
        case 2 where !items.isEmpty: items[place].section = section
        case 3 where !items.isEmpty: items[place].note += 1
        default:
            if !items.isEmpty { items.swapAt(place, Int.random(in: items.indices, using: &random)) }
        }
    }
}
