import VigilStorage

/// The values between two optional ends. No interval contains NULL.
struct Interval: Sendable, Hashable {
    struct End: Sendable, Hashable {
        var key: ComparisonKey
        var isIncluded: Bool
    }

    var lower: End?
    var upper: End?

    init() {}

    /// Creates an interval. An unsupported end is omitted.
    ///
    /// Versions of SQLite differ in the order of texts under RTRIM: older ones did not skip the spaces in `"a
    /// "` before comparing it with `"a\t"`. An interval with a text as an end therefore includes all texts
    /// there.
    init(
        from lower: RowCondition.Bound?, to upper: RowCondition.Bound?, collation: RowCondition.Collation
    ) {
        self.lower = Self.end(lower, collation)
        self.upper = Self.end(upper, collation)
        if collation == .rtrim {
            if self.lower?.key.isText ?? false { self.lower = End(key: .text([]), isIncluded: true) }
            if self.upper?.key.isText ?? false { self.upper = End(key: .blob([]), isIncluded: false) }
        }
    }

    private static func end(_ bound: RowCondition.Bound?, _ collation: RowCondition.Collation) -> End? {
        guard let bound, let key = ComparisonKey(bound.value, collation) else { return nil }
        return End(key: key, isIncluded: bound.isIncluded)
    }

    /// Creates the interval of the texts beginning with these bytes.
    init(textsWithPrefix prefix: [UInt8]) {
        lower = End(key: .text(prefix), isIncluded: true)
        var next = prefix
        while next.last == .max { next.removeLast() }
        if let last = next.popLast() {
            upper = End(key: .text(next + [last + 1]), isIncluded: false)
        } else {
            upper = End(key: .blob([]), isIncluded: false)
        }
    }

    var hasText: Bool { lower?.key.isText ?? false || upper?.key.isText ?? false }

    func contains(_ value: ComparedValue) -> Bool { begins(before: value) && ends(after: value) }

    func begins(before value: ComparedValue) -> Bool {
        guard let lower else { return true }
        let order = value.order(lower.key)
        return order > 0 || (order == 0 && lower.isIncluded)
    }

    func ends(after value: ComparedValue) -> Bool {
        guard let upper else { return true }
        let order = value.order(upper.key)
        return order < 0 || (order == 0 && upper.isIncluded)
    }

    func begins(before other: Interval) -> Bool {
        guard let end = other.lower else { return false }
        guard let lower else { return true }
        let order = lower.key.order(end.key)
        return order < 0 || (order == 0 && lower.isIncluded && !end.isIncluded)
    }

    func ends(after other: Interval) -> Bool {
        guard let end = other.upper else { return false }
        guard let upper else { return true }
        let order = upper.key.order(end.key)
        return order > 0 || (order == 0 && upper.isIncluded && !end.isIncluded)
    }
}
