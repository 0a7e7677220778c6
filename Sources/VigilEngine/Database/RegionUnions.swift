import VigilRegions

/// The last unions of regions. Fetches of an observation with several statements unite the same regions again
/// and again (bench: dashboard). The same instances are found by caches.
struct RegionUnions {
    private static let limit = 8

    private var known: [(a: DatabaseRegion, b: DatabaseRegion, union: DatabaseRegion)] = []
    /// The place of the next union, if it follows the last one as before.
    private var next = 0

    mutating func union(_ a: DatabaseRegion, _ b: DatabaseRegion) -> DatabaseRegion {
        if a.isEmpty || b.isFullDatabase { return b }
        if b.isEmpty || a.isFullDatabase || a.isSameInstance(as: b) { return a }
        for offset in known.indices {
            let place = (next + offset) % known.count
            guard known[place].a.isSameInstance(as: a), known[place].b.isSameInstance(as: b) else { continue }
            next = place + 1
            return known[place].union
        }
        let union = a.union(b)
        // Large sets of row ids are not kept.
        guard union.rowIDCount <= 1_024 else { return union }
        if known.count < Self.limit {
            next = known.count + 1
            known.append((a, b, union))
        } else {
            known[next % Self.limit] = (a, b, union)
            next = next % Self.limit + 1
        }
        return union
    }
}
