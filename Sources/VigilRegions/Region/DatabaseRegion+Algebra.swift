import VigilStorage

extension DatabaseRegion {
    /// Returns a region modified by every change of either region.
    ///
    /// Columns and rows of a table are combined separately, so the result may be wider than necessary, never
    /// narrower: the union of `player(name)[1]` and `player(score)[2]` is `player(name,score)[1,2]`.
    public func union(_ other: DatabaseRegion) -> DatabaseRegion {
        guard let contents, let others = other.contents else { return .fullDatabase }
        if others.isEmpty || isSameInstance(as: other) { return self }
        if contents.isEmpty { return other }
        var united: [TableRegion] = []
        united.reserveCapacity(contents.count + others.count)
        Self.merge(contents, others) { one, two in
            if let one, let two {
                united.append(TableRegion(table: one.table, part: one.part.union(two.part)))
            } else if let either = one ?? two {
                united.append(either)
            }
        }
        return DatabaseRegion(contents: united)
    }

    /// Widens the region by another one. See ``union(_:)``.
    public mutating func formUnion(_ other: DatabaseRegion) {
        self = union(other)
    }

    /// Returns the common part of two regions. A table without a common column or row is left out.
    public func intersection(_ other: DatabaseRegion) -> DatabaseRegion {
        guard let contents else { return other }
        guard let others = other.contents else { return self }
        var common: [TableRegion] = []
        Self.merge(contents, others) { one, two in
            guard let one, let two else { return }
            let part = one.part.intersection(two.part)
            if !part.isEmpty { common.append(TableRegion(table: one.table, part: part)) }
        }
        return DatabaseRegion(contents: common)
    }

    /// Calls `body` for each table, in order, with its parts on both sides.
    private static func merge(
        _ left: [TableRegion], _ right: [TableRegion],
        body: (TableRegion?, TableRegion?) -> Void
    ) {
        var (l, r) = (0, 0)
        while l < left.count || r < right.count {
            if l < left.count, r < right.count, left[l].table == right[r].table {
                body(left[l], right[r])
                l += 1
                r += 1
            } else if r == right.count
                || (l < left.count && left[l].table.precedes(right[r].table))
            {
                body(left[l], nil)
                l += 1
            } else {
                body(nil, right[r])
                r += 1
            }
        }
    }
}
