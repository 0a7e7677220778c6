import VigilLists
import VigilStorage
import VigilTestSupport

/// A value in a database. Text is bytes, because it need not be valid UTF-8.
enum ModelValue: Hashable, CustomStringConvertible {
    case null
    case integer(Int64)
    case real(Double)
    case text([UInt8])
    case blob([UInt8])

    var description: String {
        switch self {
        case .null: "NULL"
        case .integer(let integer): "\(integer)"
        case .real(let real): "\(real)"
        case .text(let bytes): "text\(bytes)"
        case .blob(let bytes): "blob\(bytes)"
        }
    }
}

/// Compares values as SQLite's documentation describes it: NULL, numbers by their mathematical value, text by
/// the collation, blobs by `memcmp`.
func order(_ a: ModelValue, _ b: ModelValue, _ collation: SortTerm.Collation) -> Int {
    switch (a, b) {
    case (.null, .null): return 0
    case (.integer(let a), .integer(let b)): return a < b ? -1 : a > b ? 1 : 0
    case (.real(let a), .real(let b)): return a < b ? -1 : a > b ? 1 : 0
    case (.integer(let a), .real(let b)): return order(a, b)
    case (.real(let a), .integer(let b)): return -order(b, a)
    case (.text(let a), .text(let b)):
        return collation == .binary ? order(a, b) : order(a.map(lowercased), b.map(lowercased))
    case (.blob(let a), .blob(let b)): return order(a, b)
    default: return rank(a) - rank(b)
    }
}

/// Compares as `ORDER BY` with a term does.
func order(_ a: ModelValue, _ b: ModelValue, _ term: SortTerm) -> Int {
    if a == .null || b == .null {
        if a == b { return 0 }
        return (a == .null) == term.nullsAreLast ? 1 : -1
    }
    let ascending = order(a, b, term.collation)
    return term.isDescending ? -ascending : ascending
}

private func rank(_ value: ModelValue) -> Int {
    switch value {
    case .null: 0
    case .integer, .real: 1
    case .text: 2
    case .blob: 3
    }
}

private func lowercased(_ byte: UInt8) -> UInt8 { byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte }

private func order(_ a: [UInt8], _ b: [UInt8]) -> Int {
    if a == b { return 0 }
    return a.lexicographicallyPrecedes(b) ? -1 : 1
}

private func order(_ integer: Int64, _ real: Double) -> Int {
    if real >= 0x1p63 { return -1 }
    if real < -0x1p63 { return 1 }
    let whole = Int64(real.rounded(.down))
    if integer != whole { return integer < whole ? -1 : 1 }
    return real > real.rounded(.down) ? -1 : 0
}

/// Calls `body` with the values as cells, which borrow their bytes.
func withCells<Result>(
    _ values: [ModelValue], _ body: (UnsafePointer<StorageCell>) throws -> Result
) rethrows -> Result {
    var allocations: [UnsafeMutableRawBufferPointer] = []
    defer { for allocation in allocations { allocation.deallocate() } }
    func borrow(_ bytes: [UInt8]) -> UnsafeRawBufferPointer {
        let allocation = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
        allocation.copyBytes(from: bytes)
        allocations.append(allocation)
        return UnsafeRawBufferPointer(allocation)
    }
    let cells = values.map { value -> StorageCell in
        switch value {
        case .null: .null
        case .integer(let integer): StorageCell(integer: integer)
        case .real(let real): StorageCell(real: real)
        case .text(let bytes): StorageCell(borrowingText: borrow(bytes))
        case .blob(let bytes): StorageCell(borrowingBlob: borrow(bytes))
        }
    }
    return try cells.withUnsafeBufferPointer { cells in
        try body(cells.baseAddress ?? UnsafePointer(bitPattern: 8)!)
    }
}

extension SeededRandom {
    /// Returns a value. Values are often equal, or close to each other.
    mutating func value(zeroBytes: Bool = true) -> ModelValue {
        switch Int.random(in: 0..<10, using: &self) {
        case 0: return .null
        case 1: return .integer(Int64.random(in: -3...3, using: &self))
        case 2: return .integer(Int64(bitPattern: next()))
        case 3: return .integer(nearPower())
        case 4: return .real(Double(nearPower()))
        case 5: return .real(real())
        case 6, 7: return .text(bytes(zeroBytes: zeroBytes))
        case 8: return .blob(bytes(zeroBytes: true))
        default: return .real(pick([-0.0, 0.0, 0.5, -1.5, 2, 1e300, -.infinity, .infinity, 0x1p63, -0x1p63]))
        }
    }

    /// Returns an integer near a power of two, where doubles have gaps.
    private mutating func nearPower() -> Int64 {
        let power = pick([0, 31, 52, 53, 54, 60, 62, 63])
        let magnitude = power == 63 ? Int64.max : Int64(1) << power
        let (sum, overflow) = magnitude.addingReportingOverflow(
            Int64.random(in: -2_050...2_050, using: &self))
        return (overflow ? magnitude : sum) * pick([1, -1])
    }

    /// Returns any double that is not NaN.
    private mutating func real() -> Double {
        while true {
            let real = Double(bitPattern: next())
            if !real.isNaN { return real }
        }
    }

    private mutating func bytes(zeroBytes: Bool) -> [UInt8] {
        let alphabet: [UInt8] = [0x41, 0x61, 0x5a, 0x7a, 0x5b, 0x5f, 0x60, 0x40, 0x7b, 0x01, 0xc3, 0xff]
        return (0..<Int.random(in: 0...4, using: &self)).map { _ in
            zeroBytes && once(in: 4) ? 0 : pick(alphabet)
        }
    }

    mutating func term() -> SortTerm {
        SortTerm(
            collation: pick([.binary, .nocase]), isDescending: once(in: 2),
            nullsAreLast: pick([nil, true, false]))
    }
}
