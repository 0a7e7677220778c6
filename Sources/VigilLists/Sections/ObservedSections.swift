import VigilStorage

/// The rows of a list in sections: groups of adjacent rows with equal ids.
///
/// ```swift
/// let sections = players.sections { $0.team }
/// for section in sections { print(section.id, section.count) }
/// ```
///
/// Sort the request by the section first. Otherwise, rows with one id may be apart, and each group of
/// adjacent ones is a section.
///
/// Sections are a value, and a collection with integer indices. They compare themselves with earlier ones on
/// request, see ``changes(since:)``.
public struct ObservedSections<ID: Hashable & Sendable, Element: Sendable>: Sendable {
    /// The rows of all sections, in their order.
    public let rows: ObservedList<Element>
    let tree: SectionNode?
    let ids: SectionIDs<ID>
    let places: SectionPlaces

    /// Creates an empty value, for example for a screen before its first value.
    public init() { self.init(ObservedList(), nil, SectionIDs()) }

    init(_ rows: ObservedList<Element>, _ tree: SectionNode?, _ ids: SectionIDs<ID>) {
        self.rows = rows
        self.tree = tree
        self.ids = ids
        places = SectionPlaces(tree?.runs ?? [])
    }

    /// Returns the section and the row with an index in ``rows``.
    public func path(ofRow index: Int) -> SectionPath {
        trap(unless: index >= 0 && index < rows.count, "index out of range")
        return places.path(ofRow: index)
    }

    /// The row at a path.
    public subscript(path: SectionPath) -> Element { self[path.section][path.row] }
}

extension ObservedSections: RandomAccessCollection {
    /// The index of the first section, 0.
    public var startIndex: Int { 0 }
    /// The number of sections.
    public var endIndex: Int { places.runs.count }

    /// The section at an index.
    public subscript(index: Int) -> Section {
        trap(unless: index >= 0 && index < endIndex, "index out of range")
        return Section(id: ids.id(places.runs[index].number), rows: rows, range: places.range(of: index))
    }

    /// Adjacent rows with equal ids.
    public struct Section: RandomAccessCollection, Identifiable, Sendable {
        /// The id of all rows of the section.
        public let id: ID
        let rows: ObservedList<Element>
        let range: Range<Int>

        /// The index of the first row, 0.
        public var startIndex: Int { 0 }
        /// The number of rows.
        public var endIndex: Int { range.count }

        /// The row at an index.
        public subscript(index: Int) -> Element {
            trap(unless: index >= 0 && index < range.count, "index out of range")
            return rows[range.lowerBound + index]
        }
    }
}

extension ObservedSections: Equatable where Element: Equatable {
    /// Returns whether the sections have equal ids, and equal rows in the same order. Skips shared parts.
    public static func == (a: ObservedSections, b: ObservedSections) -> Bool {
        let runs = a.ids === b.ids ? b.places.runs : a.ids.runs(b.places.runs, of: b.ids)
        return a.places.runs == runs && a.rows == b.rows
    }
}

/// Rows that compare themselves with earlier ones: an ``ObservedList``, or ``ObservedSections``.
public protocol ComparedRows: Sendable {
    /// The difference between two values.
    associatedtype Change: Sendable

    /// Creates a value without rows.
    init()

    /// Returns the difference between an older value and this one.
    func changes(since older: Self) -> Change
}

extension ObservedList: ComparedRows {}
extension ObservedSections: ComparedRows {}

/// The place of a row in sections.
public struct SectionPath: Hashable, Comparable, Sendable {
    /// The index of the section.
    public var section: Int
    /// The index of the row in the section.
    public var row: Int

    /// Creates a path.
    public init(section: Int, row: Int) {
        self.section = section
        self.row = row
    }

    /// Returns whether a path comes before another.
    public static func < (a: SectionPath, b: SectionPath) -> Bool { (a.section, a.row) < (b.section, b.row) }
}

extension ObservedList {
    /// Returns the rows in sections.
    ///
    /// Without an earlier value, this takes O(*n*). With sections of an earlier version of the list, it takes
    /// O(*s* + *c* log *n*) for *s* sections and *c* changed rows of *n*.
    ///
    /// - Parameters:
    ///   - earlier: sections of an earlier version, by the same function.
    ///   - id: returns the id of a row's section, which must depend on nothing but the row.
    public func sections<ID: Hashable & Sendable>(
        updating earlier: ObservedSections<ID, Element>? = nil, by id: (Element) -> ID
    ) -> ObservedSections<ID, Element> {
        var earlier = earlier
        // Ids are never forgotten: begin again once most of them are outdated.
        if let known = earlier, known.ids.count > 2 * known.count + 64 { earlier = nil }
        let ids = earlier?.ids ?? SectionIDs()
        guard let root = version?.root else { return ObservedSections(self, nil, ids) }
        var known: [ObjectIdentifier: SectionNode] = [:]
        if let tree = earlier?.tree { SectionNode.find([root], in: [tree], &known) }
        let tree =
            known[ObjectIdentifier(root)]
            ?? SectionNode(root, known: known) { leaf in
                leaf.withElements(of: Element.self) { ids.runs(of: $0, by: id) }
            }
        return ObservedSections(self, tree, ids)
    }
}
