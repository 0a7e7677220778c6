import VigilLists
import VigilStorage
import VigilTestSupport
import XCTest

final class ListChangeTests: XCTestCase {
    private struct Item: Equatable, Identifiable, Sendable {
        let id: Int
        var note = 0
    }

    /// Returns a list that is not followed.
    private func list(_ items: [Item], equatable: Bool = true, identifiable: Bool) -> ObservedList<Item> {
        let areEqual: @Sendable (Item, Item) -> Bool = { $0 == $1 }
        let id: @Sendable (Item) -> AnyHashable = { AnyHashable($0.id) }
        return ObservedList(
            items, traits: ElementTraits(areEqual: equatable ? areEqual : nil, id: identifiable ? id : nil))
    }

    private func change(
        removed: [Int] = [], inserted: [Int] = [], moved: [(Int, Int)] = [], updated: [Int] = []
    ) -> [[Int]] {
        [removed, inserted, moved.map(\.0), moved.map(\.1), updated]
    }

    private func offsets(_ change: ListChange) -> [[Int]] {
        [
            Array(change.removed.ranges.joined()), Array(change.inserted.ranges.joined()),
            change.moved.map(\.from), change.moved.map(\.to), Array(change.updated.ranges.joined()),
        ]
    }

    private func items(_ ids: Int...) -> [Item] { ids.map { Item(id: $0) } }

    func testTheChangedMiddleOfAListWithoutIdentitiesIsReplaced() {
        let old = list(items(1, 2, 3, 4), identifiable: false)
        let new = list(items(1, 3, 2, 5, 4), identifiable: false)
        XCTAssertEqual(
            offsets(new.changes(since: old)), change(removed: [1, 2], inserted: [1, 2, 3]))
        XCTAssertEqual(offsets(old.changes(since: list(items(1, 2, 3, 4), identifiable: false))), change())
    }

    func testRepeatedElementsAtBothEndsAreCountedOnce() {
        let old = list(items(1, 1), identifiable: false)
        let new = list(items(1, 1, 1), identifiable: false)
        XCTAssertEqual(offsets(new.changes(since: old)), change(inserted: [2]))
        XCTAssertEqual(offsets(old.changes(since: new)), change(removed: [2]))
    }

    func testElementsThatCannotBeComparedAreReplaced() {
        let old = list(items(1, 2), equatable: false, identifiable: false)
        XCTAssertEqual(
            offsets(list(items(1, 2), equatable: false, identifiable: false).changes(since: old)),
            change(removed: [0, 1], inserted: [0, 1]))
    }

    func testIdentifiableElementsAreComparedByTheirIDs() {
        let old = list(items(1, 2, 3, 4, 5), identifiable: true)
        var changed = items(1, 5, 2, 6, 4)
        changed[0].note = 1
        changed[1].note = 1
        changed[2].note = 1
        let new = list(changed, identifiable: true)
        XCTAssertEqual(
            offsets(new.changes(since: old)),
            change(removed: [2], inserted: [3], moved: [(4, 1)], updated: [0, 1, 2]))
    }

    func testIdentifiableElementsThatCannotBeComparedAreUpdated() {
        let old = list(items(1, 2, 3), equatable: false, identifiable: true)
        let new = list(items(2, 3), equatable: false, identifiable: true)
        XCTAssertEqual(offsets(new.changes(since: old)), change(removed: [0], updated: [0, 1]))
    }

    func testElementsWithRepeatedIDsAreReplaced() {
        let repeated = list(items(1, 2, 2, 3), identifiable: true)
        let other = list(items(1, 4, 2, 5, 3), identifiable: true)
        XCTAssertEqual(
            offsets(other.changes(since: repeated)), change(removed: [1, 2], inserted: [1, 2, 3]))
        XCTAssertEqual(
            offsets(repeated.changes(since: other)), change(removed: [1, 2, 3], inserted: [1, 2]))
    }

    func testChangesOfIdentifiableElementsApply() {
        var random = SeededRandom.seeded()
        print("seed of \(name): VIGIL_SEED=\(random.seed)")
        for _ in 0..<500 {
            let lists = (0..<2).map { _ in
                let ids = (0..<Int.random(in: 0..<9, using: &random)).shuffled(using: &random)
                return ids.map { Item(id: $0, note: random.pick([0, 1])) }
            }
            let rows = lists.map { items in
                items.map { item in
                    ModelRow(
                        rowIDs: [Int64(item.id)], terms: [], element: ModelElement(text: "\(item)"))
                }
            }
            let (old, new) = (list(lists[0], identifiable: true), list(lists[1], identifiable: true))
            let change = new.changes(since: old)
            if let complaint = applicationComplaint(
                change, from: rows[0], to: rows[1], comparesElements: true)
            {
                return XCTFail("\(complaint): \(change), \(lists), VIGIL_SEED=\(random.seed)")
            }
            XCTAssertEqual(lists[0].applying(change.difference(from: old, to: new)), lists[1])
        }
    }

    func testADifferenceNamesMovesAndReplacesUpdatedElements() {
        let old = list([Item(id: 1), Item(id: 2), Item(id: 3), Item(id: 4)], identifiable: true)
        let new = list([Item(id: 4), Item(id: 1), Item(id: 3, note: 1), Item(id: 5)], identifiable: true)
        let difference = new.changes(since: old).difference(from: old, to: new)
        XCTAssertEqual(Array(old).applying(difference), Array(new))
        let removals = difference.removals.map { change -> [Int?] in
            guard case .remove(let offset, _, let other) = change else { return [] }
            return [offset, other]
        }
        XCTAssertEqual(removals, [[1, nil], [2, nil], [3, 0]])
        XCTAssertEqual(difference.insertions.count, 3)
    }

    func testAllElementsAreInsertedAfterAnEmptyList() {
        let new = list(items(1, 2), identifiable: false)
        XCTAssertEqual(offsets(new.changes(since: ObservedList())), change(inserted: [0, 1]))
        XCTAssertEqual(offsets(ObservedList().changes(since: new)), change(removed: [0, 1]))
    }
}
