package import VigilStorage

/// Encodes the values of a row's sort terms as bytes with the order of the rows.
///
/// Each value begins with a byte for its kind. NULL is this byte alone, before or after all other kinds. A
/// number continues with the greatest `Double` not above it, in bits ordered like numbers, and the
/// difference, 0 except for integers beyond 2⁵³. Text and blobs continue with their bytes, an FF after each
/// zero byte, and end with two zeros. A descending term complements all bytes.
///
/// No encoded value is the beginning of another one, so values can be concatenated.
package struct SortKeyEncoder: Sendable {
    /// The limit in bytes of a followed row's key, row ids included. Long keys would make large nodes.
    package static let lengthLimit = 16_384

    private enum Kind {
        static let nullFirst: UInt8 = 0x00
        static let number: UInt8 = 0x20
        static let text: UInt8 = 0x40
        static let blob: UInt8 = 0x60
        static let nullLast: UInt8 = 0xff
    }

    /// The kinds of numbers seen in a term.
    private struct Numbers: OptionSet, Sendable {
        let rawValue: UInt8

        static let real = Numbers(rawValue: 1)
        static let largeInteger = Numbers(rawValue: 2)
    }

    private let terms: [SortTerm]
    /// The numbers seen in each term; empty if the library compares integers with reals exactly.
    private var numbers: [Numbers]

    /// - Parameter roundsLargeIntegers: whether the library rounds an integer when it compares it with a
    ///   floating-point number.
    package init(terms: [SortTerm], roundsLargeIntegers: Bool = false) {
        self.terms = terms
        numbers = roundsLargeIntegers ? Array(repeating: [], count: terms.count) : []
    }

    /// Returns an upper bound of the byte count of values, one for each term; `nil` if one is too long.
    package func byteCount(of cells: UnsafePointer<StorageCell>) -> Int? {
        var count = 0
        for index in terms.indices {
            switch cells[index].kind {
            case .integer, .real: count += 11
            case .null: count += 1
            case .text, .blob:
                if cells[index].bytes.count > Self.lengthLimit { return nil }
                count += 2 * cells[index].bytes.count + 3
            }
        }
        return count
    }

    /// Writes the values in `cells`, one for each term.
    ///
    /// - Returns: `nil`, or why the key must not be used.
    package mutating func write(
        _ cells: UnsafePointer<StorageCell>, to key: inout KeyWriter
    ) -> SortKeyFailure? {
        for index in terms.indices {
            let start = key.count
            if let failure = write(cells[index], of: terms[index], at: index, to: &key) { return failure }
            if terms[index].isDescending { key.complement(from: start) }
        }
        return nil
    }

    private mutating func write(
        _ cell: StorageCell, of term: SortTerm, at index: Int, to key: inout KeyWriter
    ) -> SortKeyFailure? {
        switch cell.kind {
        case .integer:
            key.append(number: cell.integer, kind: Kind.number)
            return numbers.isEmpty ? nil : add(isLarge(cell.integer) ? .largeInteger : [], at: index)
        case .real where !cell.real.isNaN:
            key.append(number: cell.real, kind: Kind.number)
            return numbers.isEmpty ? nil : add(.real, at: index)
        case .null, .real:
            // The complement of a descending term exchanges the places.
            key.append(term.nullsAreLast != term.isDescending ? Kind.nullLast : Kind.nullFirst)
            return nil
        case .text:
            key.append(Kind.text)
            guard term.collation == .nocase else {
                key.append(escaping: cell.bytes)
                return nil
            }
            return key.append(folding: cell.bytes) ? nil : .zeroByteInFoldedText
        case .blob:
            key.append(Kind.blob)
            key.append(escaping: cell.bytes)
            return nil
        }
    }

    private mutating func add(_ kind: Numbers, at index: Int) -> SortKeyFailure? {
        numbers[index].formUnion(kind)
        return numbers[index] == [.real, .largeInteger] ? .largeIntegerBesideReal : nil
    }
}

/// Returns whether an integer may differ from the nearest `Double`.
private func isLarge(_ integer: Int64) -> Bool { integer.magnitude > 1 << 53 }

extension KeyWriter {
    fileprivate mutating func append(number integer: Int64, kind: UInt8) {
        var real = Double(integer)
        if !isLarge(integer) { return append(kind, real, rest: 0) }
        // Rounding up can exceed the largest integer.
        if real >= 0x1p63 || Int64(real) > integer { real = real.nextDown }
        append(kind, real, rest: UInt16(truncatingIfNeeded: integer &- Int64(real)))
    }

    fileprivate mutating func append(number real: Double, kind: UInt8) {
        append(kind, real, rest: 0)
    }

    private mutating func append(_ kind: UInt8, _ real: Double, rest: UInt16) {
        // -0.0 + 0.0 is 0.0.
        let bits = (real + 0).bitPattern
        append(kind, bigEndian: bits >> 63 == 0 ? bits | 1 << 63 : ~bits, rest)
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
        append(zeros: 2)
    }

    /// Appends text with ASCII letters in lower case. Returns `false` if it contains a zero byte.
    fileprivate mutating func append(folding bytes: UnsafeRawBufferPointer) -> Bool {
        if bytes.contains(0) { return false }
        for byte in bytes { append(byte.asciiLowercased) }
        append(zeros: 2)
        return true
    }
}

/// A reason why the order of encoded values may differ from the database's.
package enum SortKeyFailure: Sendable, Hashable {
    /// Text with a zero byte, sorted by `NOCASE`: SQLite ignores the bytes behind it.
    case zeroByteInFoldedText
    /// An integer beyond 2⁵³ beside a floating-point number. The library rounds to compare them.
    case largeIntegerBesideReal
    /// The row ids and sort values of a row are longer than ``SortKeyEncoder/lengthLimit``.
    case tooLong
    /// A missing row id in a table outside the optional sides of joins.
    case missingRowID
}
