package import VigilStorage

/// Decides how many of the first rows of a result a window keeps.
///
/// It keeps the rows up to its end and some more, the *slack*. They take the places of rows that leave the
/// window. The *bound* is the place of the last row that was kept: each row that is not kept is behind it, so
/// a changed row belongs to the kept ones if it is not behind the bound.
package struct KeptWindow: Sendable {
    /// The least and the greatest slack.
    static let slacks = 16...1_024

    /// The rows that are shown.
    package let range: WindowRange
    /// The number of rows to keep behind the end of the window.
    package private(set) var slack: Int
    /// The key of the last row that was kept; empty if all rows are kept.
    private var bound = KeyList()

    package init(_ range: WindowRange) {
        self.range = range
        slack = min(max(range.limit ?? 0, Self.slacks.lowerBound), Self.slacks.upperBound)
    }

    /// The number of rows up to the end of the window; `nil` without a limit.
    private var end: Int? { range.limit.map { range.offset + $0 } }

    /// The number of rows to fetch; `nil` for all.
    package var fetchCount: Int? { end.map { $0 + slack } }

    /// Whether rows are missing behind the bound.
    private var isBounded: Bool { bound.count > 0 }

    /// Returns the shown ones of a number of kept rows.
    package func shown(of count: Int) -> Range<Int> {
        min(range.offset, count)..<min(end ?? count, count)
    }

    /// Returns whether too few rows are kept to fill the window.
    package func isShort(_ count: Int) -> Bool { isBounded && count < end ?? 0 }

    /// Returns the number of rows to keep; `nil` if `count` rows are not too many.
    package func cut(_ count: Int) -> Int? {
        guard let fetchCount, count > fetchCount + 2 * slack else { return nil }
        return fetchCount
    }

    /// Doubles the slack, because fetching rows is expensive.
    package mutating func grow() { slack = min(slack * 2, Self.slacks.upperBound) }

    /// Returns the number of keys that are not behind the bound.
    ///
    /// - Parameter keys: ascending keys.
    package func count(of keys: KeyList) -> Int {
        bound.withFirstKey { bound in
            guard let bound else { return keys.count }
            return keys.withKeys { keys in
                (0..<keys.count).last { compareBytes(keys[$0], bound) <= 0 }.map { $0 + 1 } ?? 0
            }
        }
    }

    /// Sets the bound after a fetch of ``fetchCount`` rows, or after a cut.
    ///
    /// - Parameter keys: the ascending keys of the kept rows.
    package mutating func didKeep(_ keys: KeyList) {
        bound = keys.count < fetchCount ?? .max ? KeyList() : keys.selecting([keys.count - 1])
    }
}
