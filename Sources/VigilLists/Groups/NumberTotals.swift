package import VigilStorage

/// The sum of the values of a column, to which values can be added and from which they can be removed.
///
/// It knows the library's result only if this is the same for any order of the additions:
/// - The sum of integers is exact. The library reports an overflow of any partial sum, so both the positive
///   and the negative values must fit.
/// - A sum with floating-point numbers is exact if all values are whole, or multiples of 2⁻²⁰, and their
///   magnitudes are small enough for every partial sum to be a `Double`.
package struct NumberTotals: Sendable, Equatable {
    /// The number of fractional bits of ``reals``.
    private static let fractionBits = 20
    private static let unit = 0x1p20
    private static let exactLimit: Int128 = 1 << 53

    /// The number of values that are not NULL.
    package private(set) var count = 0
    private var positive: Int128 = 0
    private var negative: Int128 = 0
    /// The sum of the floating-point numbers, and of their magnitudes, in units of 2⁻²⁰.
    private var reals: Int128 = 0
    private var realMagnitude: Int128 = 0
    private var realCount = 0
    /// The number of floating-point numbers with a fraction.
    private var fractionCount = 0
    /// The number of values that no exact sum contains: text, blobs, and other floating-point numbers.
    private var otherCount = 0

    package init() {}

    package mutating func add(_ cell: StorageCell) { change(cell, by: 1) }
    package mutating func remove(_ cell: StorageCell) { change(cell, by: -1) }

    private mutating func change(_ cell: StorageCell, by sign: Int) {
        if cell.kind == .null { return }
        count += sign
        switch cell.kind {
        case .integer:
            let value = Int128(cell.integer) * Int128(sign)
            if cell.integer >= 0 { positive += value } else { negative += value }
        case .real: change(cell.real, by: sign)
        default: otherCount += sign
        }
    }

    private mutating func change(_ real: Double, by sign: Int) {
        let scaled = real * Self.unit
        // The infinities are not exact either.
        guard real.magnitude <= 0x1p53, let units = Int128(exactly: scaled) else {
            otherCount += sign
            return
        }
        realCount += sign
        reals += units * Int128(sign)
        realMagnitude += Int128(units.magnitude) * Int128(sign)
        if real != real.rounded() { fractionCount += sign }
    }

    /// The result of `SUM`; `nil` if it is not known.
    package var sum: StorageCell? {
        if count == 0 { return .null }
        if realCount > 0 || otherCount > 0 { return exactReal.map { StorageCell(real: $0) } }
        guard positive <= Int128(Int64.max), negative >= Int128(Int64.min) else { return nil }
        return StorageCell(integer: Int64(positive + negative))
    }

    /// The result of `TOTAL`; `nil` if it is not known.
    package var total: StorageCell? { exactReal.map { StorageCell(real: $0) } }

    /// The result of `AVG`; `nil` if it is not known.
    package var average: StorageCell? {
        if count == 0 { return .null }
        return exactReal.map { StorageCell(real: $0 / Double(count)) }
    }

    /// The sum as a floating-point number, if it is the same for any order of the additions.
    private var exactReal: Double? {
        guard otherCount == 0 else { return nil }
        let limit = fractionCount == 0 ? Self.exactLimit << Self.fractionBits : Self.exactLimit
        let magnitude = (positive - negative) << Self.fractionBits + realMagnitude
        guard magnitude <= limit else { return nil }
        let sum = (positive + negative) << Self.fractionBits + reals
        let narrow = Int64(truncatingIfNeeded: sum)
        // The conversion of a wide integer takes long (bench: dashboard).
        return (Int128(narrow) == sum ? Double(narrow) : Double(sum)) / Self.unit
    }
}
