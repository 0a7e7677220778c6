// The samples of the overview of VigilLists, which a tidy test compares with this file.

import VigilLists
import XCTest

final class DocumentedListTests: XCTestCase {
    func testAChangeAppliesToWhatIsShown() {
        let traits = ElementTraits(comparing: String.self, id: { AnyHashable($0.prefix(1)) })
        let shown = ObservedList(["Arthur", "Barbara"], traits: traits)
        let list = ObservedList(["Barbara", "Artemis", "Craig"], traits: traits)
        let titles = Array(shown)
        var printed: [String] = []
        func print(_ items: Any...) { printed.append(items.map { "\($0)" }.joined(separator: " ")) }
        let change = list.changes(since: shown)
        for range in change.updated.ranges { print("updated:", range) }
        if let titles = titles.applying(change.difference(from: shown, to: list)) { print(titles) }
        XCTAssertEqual(printed, ["updated: 1..<2", #"["Barbara", "Artemis", "Craig"]"#])
    }

    func testSectionsCompareThemselves() {
        let traits = ElementTraits(comparing: String.self, id: { AnyHashable($0) })
        let list = ObservedList(["Ada", "Alan", "Barbara"], traits: traits)
        let shownSections = ObservedList(["Alan"], traits: traits).sections { $0.prefix(1) }
        var printed: [String] = []
        func print(_ items: Any...) { printed.append(items.map { "\($0)" }.joined(separator: " ")) }
        let sections = list.sections(updating: shownSections) { $0.prefix(1) }
        let change = sections.changes(since: shownSections)
        for range in change.insertedSections.ranges { print("sections:", range) }
        XCTAssertEqual(printed, ["sections: 1..<2"])
        XCTAssertEqual(change.inserted, [SectionPath(section: 0, row: 0)])
        XCTAssertEqual(sections.map(\.id), ["A", "B"])
    }
}
