public import Vigil

/// Applies the differences between successive versions of a list, as UIKit and AppKit do.
public struct ListReplay<Element: Sendable & Equatable>: Sendable {
    /// The last version.
    public private(set) var shown = ObservedList<Element>()
    private var elements: [Element] = []
    /// A description of the first difference that was wrong.
    public private(set) var complaint: String?

    /// Creates a replay that begins with the empty list.
    public init() {}

    /// Applies the difference to the next version.
    public mutating func show(_ list: ObservedList<Element>) {
        let change = list.changes(since: shown)
        let old = elements
        let leaving = (Array(change.removed.ranges.joined()) + change.moved.map(\.from)).sorted(by: >)
        for offset in leaving where elements.indices.contains(offset) { elements.remove(at: offset) }
        let entering = Array(change.inserted.ranges.joined()) + change.moved.map(\.to)
        for offset in entering.sorted() where offset <= elements.count {
            elements.insert(list[offset], at: offset)
        }
        for offset in change.updated.ranges.joined() where elements.indices.contains(offset) {
            elements[offset] = list[offset]
        }
        let new = Array(list)
        if elements != new { complaint = complaint ?? "\(change) led from \(old) to \(elements), not \(new)" }
        if old.applying(change.difference(from: shown, to: list)) != new {
            complaint = complaint ?? "the collection difference of \(change) does not lead to \(new)"
        }
        if list.count != new.count || !list.indices.allSatisfy({ list[$0] == new[$0] }) {
            complaint = complaint ?? "iterating and subscripting differ"
        }
        elements = new
        shown = list
    }
}
