import VigilLists

/// Applies a change as UIKit does, and returns what is wrong with it.
///
/// - Parameter comparesElements: whether equal elements must not count as updated.
func complaint(
    about change: ListChange, from old: [ModelRow], to new: [ModelRow], _ terms: [SortTerm],
    comparesElements: Bool
) -> String? {
    applicationComplaint(change, from: old, to: new, comparesElements: comparesElements)
        ?? moveComplaint(about: change, from: old, to: new, terms)
}

/// Applies a change, and returns what is wrong with it, except for unnecessary moves.
func applicationComplaint(
    _ change: ListChange, from old: [ModelRow], to new: [ModelRow], comparesElements: Bool
) -> String? {
    let places = Dictionary(uniqueKeysWithValues: new.indices.map { (new[$0].rowIDs, $0) })
    let removed = Array(change.removed.ranges.joined())
    let inserted = Array(change.inserted.ranges.joined())
    for offset in removed where places[old[offset].rowIDs] != nil { return "row \(offset) was not removed" }
    let oldPlaces = Dictionary(uniqueKeysWithValues: old.indices.map { (old[$0].rowIDs, $0) })
    for offset in inserted where oldPlaces[new[offset].rowIDs] != nil { return "row \(offset) was there" }
    for move in change.moved where old[move.from].rowIDs != new[move.to].rowIDs { return "\(move)" }
    let leaving = removed + change.moved.map(\.from)
    let entering = (inserted + change.moved.map(\.to)).sorted()
    if Set(leaving).count != leaving.count || Set(entering).count != entering.count { return "twice" }
    var rows = old.map(\.rowIDs)
    for offset in leaving.sorted(by: >) { rows.remove(at: offset) }
    for offset in entering {
        if offset > rows.count { return "inserts beyond the end" }
        rows.insert(new[offset].rowIDs, at: offset)
    }
    if rows != new.map(\.rowIDs) { return "the result is \(rows)" }
    for (offset, row) in new.enumerated() {
        guard let before = oldPlaces[row.rowIDs] else {
            if change.updated.contains(offset) { return "\(offset) is new" }
            continue
        }
        let differs = old[before].element != row.element
        if differs, !change.updated.contains(offset) { return "\(offset) was updated" }
        if comparesElements, !differs, change.updated.contains(offset) { return "\(offset) is equal" }
    }
    return nil
}

/// Returns whether another set of rows could stay.
private func moveComplaint(
    about change: ListChange, from old: [ModelRow], to new: [ModelRow], _ terms: [SortTerm]
) -> String? {
    /// Whether the values by which the rows are sorted are equal for the database.
    func isStable(_ row: (old: Int, new: Int)) -> Bool {
        terms.indices.allSatisfy { order(old[row.old].terms[$0], new[row.new].terms[$0], terms[$0]) == 0 }
    }
    let newPlaces = Dictionary(uniqueKeysWithValues: new.indices.map { (new[$0].rowIDs, $0) })
    let common = old.indices.compactMap { index in newPlaces[old[index].rowIDs].map { (old: index, new: $0) }
    }
    let stable = common.filter(isStable)
    for row in stable where change.moved.contains(where: { $0.from == row.old }) { return "\(row) is stable" }
    let candidates = common.filter { !isStable($0) }
    guard candidates.count <= 10 else { return nil }
    var most = 0
    for subset in 0..<1 << candidates.count {
        let staying = candidates.indices.filter { subset >> $0 & 1 == 1 }.map { candidates[$0] }
        guard staying.count > most else { continue }
        let rows = (stable + staying).sorted { $0.old < $1.old }
        if zip(rows, rows.dropFirst()).allSatisfy({ $0.new < $1.new }) { most = staying.count }
    }
    let fewest = candidates.count - most
    return change.moved.count == fewest ? nil : "\(change.moved.count) moves instead of \(fewest)"
}
