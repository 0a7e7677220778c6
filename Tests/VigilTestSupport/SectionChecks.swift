package import VigilLists

/// The fault of a change of sections.
package struct SectionComplaint: Error {
    package var text: String

    package init(_ text: String) { self.text = text }
}

/// Applies a change as UIKit does: rows that leave, sections that leave, sections that enter, and rows that
/// enter. Rows that move keep their items, and updated and entering ones take the new ones.
///
/// - Parameters:
///   - old: an item of each row, by section.
///   - new: the items after the change, to which the result must be equal.
package func apply<Item: Equatable>(
    _ change: SectionChange, to old: [[Item]], new: [[Item]]
) throws(SectionComplaint) {
    func contains(_ path: SectionPath, _ sections: [[Item]]) -> Bool {
        sections.indices.contains(path.section) && sections[path.section].indices.contains(path.row)
    }
    let leavingRows = Set(change.removed + change.moved.map(\.from))
    guard leavingRows.allSatisfy({ contains($0, old) }) else { throw SectionComplaint("no such row leaves") }
    let entering = change.inserted.map { ($0, nil as Item?) }
    let moving = change.moved.map { ($0.to, old[$0.from.section][$0.from.row] as Item?) }
    let enteringRows = (entering + moving).sorted { $0.0 < $1.0 }
    let removed = Array(change.removedSections.ranges.joined())
    let inserted = Array(change.insertedSections.ranges.joined())
    if leavingRows.count != change.removed.count + change.moved.count {
        throw SectionComplaint("a row leaves twice")
    }
    if Set(enteringRows.map(\.0)).count != enteringRows.count { throw SectionComplaint("a row enters twice") }
    if leavingRows.contains(where: { removed.contains($0.section) }) {
        throw SectionComplaint("a row leaves a removed section")
    }
    if enteringRows.contains(where: { inserted.contains($0.0.section) }) {
        throw SectionComplaint("a row enters an inserted section")
    }

    let leavingSections = removed + change.movedSections.map(\.from)
    guard leavingSections.allSatisfy(old.indices.contains),
        Set(leavingSections).count == leavingSections.count,
        inserted.allSatisfy(new.indices.contains)
    else { throw SectionComplaint("a section beyond the end, or twice") }

    var sections = old.indices.map { section in
        old[section].indices.filter { !leavingRows.contains(SectionPath(section: section, row: $0)) }
            .map { old[section][$0] }
    }
    let movingSections = change.movedSections.map { (to: $0.to, rows: sections[$0.from]) }
    for section in leavingSections.sorted(by: >) {
        sections.remove(at: section)
    }
    let enteringSections = inserted.map { (to: $0, rows: new[$0]) } + movingSections
    for (section, rows) in enteringSections.sorted(by: { $0.to < $1.to }) {
        guard section <= sections.count else { throw SectionComplaint("a section beyond the end") }
        sections.insert(rows, at: section)
    }
    for (path, item) in enteringRows {
        guard path.section < sections.count, path.row <= sections[path.section].count, contains(path, new)
        else { throw SectionComplaint("\(path) is beyond the end") }
        sections[path.section].insert(item ?? new[path.section][path.row], at: path.row)
    }
    for path in change.updated {
        guard contains(path, sections), contains(path, new) else {
            throw SectionComplaint("\(path) is updated beyond the end")
        }
        sections[path.section][path.row] = new[path.section][path.row]
    }
    if sections != new { throw SectionComplaint("\(sections) instead of \(new)") }
}

/// Applies a change, and returns what is wrong with it.
package func complaint<ID, Element: Identifiable & Equatable & Sendable>(
    about change: SectionChange, from old: ObservedSections<ID, Element>,
    to new: ObservedSections<ID, Element>
) -> String? {
    for move in change.moved where old[move.from].id != new[move.to].id { return "another row: \(move)" }
    for move in change.movedSections where old[move.from].id != new[move.to].id { return "\(move)" }
    var moves = change
    moves.updated = []
    do throws(SectionComplaint) {
        try apply(moves, to: old.map { $0.map(\.id) }, new: new.map { $0.map(\.id) })
    } catch {
        return error.text
    }

    // Elements that differ are updated, except in inserted sections.
    let inserted = Array(change.insertedSections.ranges.joined())
    let known = Dictionary(uniqueKeysWithValues: old.rows.map { ($0.id, $0) })
    let came = Set(change.inserted)
    for section in new.indices where !inserted.contains(section) {
        for row in new[section].indices {
            let path = SectionPath(section: section, row: row)
            if came.contains(path) { continue }
            let differs = known[new[path].id] != new[path]
            if differs != change.updated.contains(path) { return "\(path): updated \(!differs)" }
        }
    }
    return nil
}

/// Divides successive versions of a list into sections, and applies the differences between them.
package struct SectionReplay<Element: Sendable & Equatable>: Sendable {
    private var shown = ObservedSections<String, Element>()
    /// A description of the first difference, or of the first sections, that were wrong.
    package private(set) var complaint: String?

    package init() {}

    /// Applies the difference to the sections of the next version.
    ///
    /// - Parameter id: returns the id of a row's section.
    package mutating func show(_ list: ObservedList<Element>, by id: (Element) -> String) {
        let sections = list.sections(updating: shown, by: id)
        var expected: [(id: String, rows: [Element])] = []
        for row in list {
            if expected.last?.id == id(row) {
                expected[expected.count - 1].rows.append(row)
            } else {
                expected.append((id(row), [row]))
            }
        }
        if sections.map(\.id) != expected.map(\.id) || sections.map(Array.init) != expected.map(\.rows) {
            complaint = complaint ?? "the sections are \(sections.map(\.id)) instead of \(expected)"
        }
        do throws(SectionComplaint) {
            let change = sections.changes(since: shown)
            try apply(change, to: shown.map(Array.init), new: expected.map(\.rows))
        } catch {
            complaint = complaint ?? error.text
        }
        shown = sections
    }
}
