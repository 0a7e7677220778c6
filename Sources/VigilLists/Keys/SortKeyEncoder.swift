package import VigilStorage

/// Encodes the values of a row's sort terms so that the order of the bytes is the order of the rows.
///
/// Each value begins with a byte for its kind. NULL is this byte alone, which comes before or after those of all other
/// kinds. A number continues with the greatest `Double` that is not above it, in bits that are ordered like numbers,
/// and the difference, which is not 0 only for integers beyond 2⁵³. Text and blobs continue with their bytes, in which
/// a zero is followed by FF, and end with two zeros. A descending term complements all bytes.
///
/// No encoded value is the beginning of another one, so values can be joined.
package struct SortKeyEncoder: Sendable {
    /// The number of bytes of a key, row ids included, up to which rows are followed. It keeps nodes small.
    package static let lengthLimit = 16_384

    private enum Kind {
        static let nullFirst: UInt8 = 0x00
        static let number: UInt8 = 0x20
        static let text: UInt8 = 0x40
        static let blob: UInt8 = 0x60
        static let nullLast: UInt8 = 0xff
    }

    /// The numbers that a term has had.
    private struct Numbers: OptionSet, Sendable {
        let rawValue: UInt8

        static let real = Numbers(rawValue: 1)
        static let largeInteger = Numbers(rawValue: 2)
    }

    private let terms: [SortTerm]
    /// The numbers of each term; empty if the library compares integers with reals exactly.
    private var numbers: [Numbers]

    /// - Parameter roundsLargeIntegers: whether the library rounds an integer when it compares it with a
    ///   floating-point number.
    package init(terms: [SortTerm], roundsLargeIntegers: Bool = false) {
        self.terms = terms
        numbers = roundsLargeIntegers ? Array(repeating: [], count: terms.count) : []
    }

    /// Appends the values of all terms to a key.
    ///
    /// - Parameter cells: the values, one for each term.
    /// - Returns: `nil`, or why the key must not be used.
    package mutating func append(
        _ cells: UnsafePointer<StorageCell>, to key: inout [UInt8]
    ) -> SortKeyDoubt? {
        for (index, term) in terms.enumerated() {
            let start = key.count
            if let doubt = append(cells[index], of: term, index, to: &key) { return doubt }
            if term.isDescending { key.complement(from: start) }
        }
        return nil
    }

    private mutating func append(
        _ cell: StorageCell, of term: SortTerm, _ index: Int, to key: inout [UInt8]
    ) -> SortKeyDoubt? {
        switch cell.kind {
        case .integer:
            key.append(number: cell.integer, kind: Kind.number)
            return note(isLarge(cell.integer) ? .largeInteger : [], index)
        case .real where !cell.real.isNaN:
            key.append(number: cell.real, kind: Kind.number)
            return note(.real, index)
        case .null, .real:
            // The complement of a descending term exchanges the places.
            key.append(term.nullsAreLast != term.isDescending ? Kind.nullLast : Kind.nullFirst)
            return nil
        case .text:
            if cell.bytes.count > Self.lengthLimit { return .tooLong }
            key.append(Kind.text)
            guard term.collation == .nocase else {
                key.append(escaping: cell.bytes)
                return nil
            }
            return key.append(folding: cell.bytes) ? nil : .zeroByteInFoldedText
        case .blob:
            if cell.bytes.count > Self.lengthLimit { return .tooLong }
            key.append(Kind.blob)
            key.append(escaping: cell.bytes)
            return nil
        }
    }

    private func isLarge(_ integer: Int64) -> Bool { integer.magnitude > 1 << 53 }

    private mutating func note(_ kind: Numbers, _ index: Int) -> SortKeyDoubt? {
        if numbers.isEmpty { return nil }
        numbers[index].formUnion(kind)
        return numbers[index] == [.real, .largeInteger] ? .largeIntegerBesideReal : nil
    }
}

extension [UInt8] {
    fileprivate mutating func append(number integer: Int64, kind: UInt8) {
        var real = Double(integer)
        // Rounding up can exceed the largest integer.
        if real >= 0x1p63 || Int64(real) > integer { real = real.nextDown }
        append(kind, real, UInt16(truncatingIfNeeded: integer &- Int64(real)))
    }

    fileprivate mutating func append(number real: Double, kind: UInt8) {
        append(kind, real, 0)
    }

    private mutating func append(_ kind: UInt8, _ real: Double, _ rest: UInt16) {
        // -0.0 + 0.0 is 0.0.
        let bits = (real + 0).bitPattern
        let ordered = bits >> 63 == 0 ? bits | 1 << 63 : ~bits
        let words = (
            (UInt64(kind) << 56 | ordered >> 8).bigEndian,
            (ordered << 56 | UInt64(rest) << 40).bigEndian
        )
        Swift.withUnsafeBytes(of: words) { append(contentsOf: UnsafeRawBufferPointer(rebasing: $0[..<11])) }
    }

    /// Appends the bytes of an integer, the most significant one first.
    mutating func append(bigEndian integer: UInt64) {
        Swift.withUnsafeBytes(of: integer.bigEndian) { append(contentsOf: $0) }
    }

    fileprivate mutating func append(escaping bytes: UnsafeRawBufferPointer) {
        if bytes.contains(0) {
            for byte in bytes {
                append(byte)
                if byte == 0 { append(0xff) }
            }
        } else {
            append(contentsOf: bytes)
        }
        append(0)
        append(0)
    }

    /// Appends text with ASCII letters in lower case. Returns `false` if it contains a zero byte.
    fileprivate mutating func append(folding bytes: UnsafeRawBufferPointer) -> Bool {
        if bytes.contains(0) { return false }
        for byte in bytes { append(byte.asciiLowercased) }
        append(0)
        append(0)
        return true
    }

    /// Complements the bytes from an index to the end.
    mutating func complement(from start: Int) {
        withUnsafeMutableBytes { bytes in
            for index in start..<bytes.count { bytes[index] = ~bytes[index] }
        }
    }
}
