package import VigilLists

/// Applies a change as UIKit does, and returns what is wrong with it.
package func complaint<ID, Element: Identifiable & Equatable & Sendable>(
    about change: SectionChange, from old: ObservedSections<ID, Element>,
    to new: ObservedSections<ID, Element>
) -> String? {
    let leavingRows = Set(change.removed + change.moved.map(\.from))
    let enteringRows = (change.inserted + change.moved.map(\.to)).sorted()
    let removed = Array(change.removedSections.ranges.joined())
    let inserted = Array(change.insertedSections.ranges.joined())
    if leavingRows.count != change.removed.count + change.moved.count { return "a row leaves twice" }
    if Set(enteringRows).count != enteringRows.count { return "a row enters twice" }
    if leavingRows.contains(where: { removed.contains($0.section) }) { return "of a removed section" }
    if enteringRows.contains(where: { inserted.contains($0.section) }) { return "in an inserted section" }
    for move in change.moved where old[move.from].id != new[move.to].id { return "another row: \(move)" }
    for move in change.movedSections where old[move.from].id != new[move.to].id { return "\(move)" }

    // Sections with the ids of their rows.
    var sections = old.indices.map { section in
        old[section].indices.filter { !leavingRows.contains(SectionPath(section: section, row: $0)) }
            .map { old[section][$0].id }
    }
    let moving = change.movedSections.map { (to: $0.to, rows: sections[$0.from]) }
    for section in (removed + change.movedSections.map(\.from)).sorted(by: >) {
        sections.remove(at: section)
    }
    let entering = inserted.map { (to: $0, rows: new[$0].map(\.id)) } + moving
    for (section, rows) in entering.sorted(by: { $0.to < $1.to }) {
        guard section <= sections.count else { return "a section beyond the end" }
        sections.insert(rows, at: section)
    }
    for path in enteringRows {
        guard path.section < sections.count, path.row <= sections[path.section].count else {
            return "\(path) is beyond the end"
        }
        sections[path.section].insert(new[path].id, at: path.row)
    }
    let expected = new.map { $0.map(\.id) }
    if sections != expected { return "\(sections) instead of \(expected)" }

    // Elements that differ are updated, except in inserted sections.
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
