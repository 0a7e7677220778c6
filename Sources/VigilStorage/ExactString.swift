/// A string compared by its UTF-8 bytes, as SQLite compares text. Swift's `String` also considers canonically
/// equivalent strings equal, such as the two encodings of `é`.
package struct ExactString: Sendable {
    package let string: String

    package init(_ string: String) {
        self.string = string
    }
}

extension ExactString: Hashable {
    package static func == (a: ExactString, b: ExactString) -> Bool { a.string.isIdentical(to: b.string) }

    // Identical strings are equal, and therefore have equal hashes.
    package func hash(into hasher: inout Hasher) { hasher.combine(string) }
}

extension String {
    /// Returns whether two strings have the same UTF-8 bytes.
    @inlinable  // bench: one-row-hit
    package func isIdentical(to other: String) -> Bool {
        hasSameRepresentation(as: other) || hasIdenticalBytes(to: other)
    }

    /// Returns whether two strings certainly have the same bytes: they are short, or share their storage, as
    /// most compared strings do.
    @inlinable  // bench: one-row-hit
    package func hasSameRepresentation(as other: String) -> Bool {
        #if _pointerBitWidth(_64)
            unsafeBitCast(self, to: (UInt, UInt).self) == unsafeBitCast(other, to: (UInt, UInt).self)
        #else
            false
        #endif
    }

    @usableFromInline
    package func hasIdenticalBytes(to other: String) -> Bool {
        let answer = utf8.withContiguousStorageIfAvailable { bytes in
            other.utf8.withContiguousStorageIfAvailable {
                UnsafeRawBufferPointer(bytes).isIdentical(to: UnsafeRawBufferPointer($0))
            }
        }
        return (answer ?? nil) ?? utf8.elementsEqual(other.utf8)
    }
}

extension UnsafeRawBufferPointer {
    /// Returns whether the bytes are the same.
    @inlinable  // bench: group-update
    package func isIdentical(to other: UnsafeRawBufferPointer) -> Bool {
        guard count == other.count else { return false }
        guard let bytes = baseAddress, let others = other.baseAddress, bytes != others else { return true }
        var offset = 0
        while offset + 8 <= count {
            let word = bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            guard word == others.loadUnaligned(fromByteOffset: offset, as: UInt64.self) else { return false }
            offset += 8
        }
        while offset < count {
            guard self[offset] == other[offset] else { return false }
            offset += 1
        }
        return true
    }
}

extension [String] {
    /// Returns whether two arrays contain strings with the same UTF-8 bytes, in the same order.
    package func isIdentical(to other: [String]) -> Bool {
        guard count == other.count else { return false }
        return withUnsafeBufferPointer { names in
            other.withUnsafeBufferPointer { others in
                names.baseAddress == others.baseAddress
                    || names.indices.allSatisfy { names[$0].isIdentical(to: others[$0]) }
            }
        }
    }
}

extension Set<String> {
    /// Inserts the name of a column. Returns `false` if the set contains another, canonically equivalent one.
    package mutating func insertExactly(_ name: String) -> Bool {
        let (isInserted, member) = insert(name)
        return isInserted || member.isIdentical(to: name)
    }
}

/// Compares byte by byte, then by length, and returns a negative number, 0 or a positive one.
@inlinable  // bench: list-update, index-match
package func compareBytes(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Int {
    let count = min(a.count, b.count)
    guard count > 0, let one = a.baseAddress, let two = b.baseAddress else { return a.count - b.count }
    var index = 0
    while index + 8 <= count {
        let x = one.loadUnaligned(fromByteOffset: index, as: UInt64.self)
        let y = two.loadUnaligned(fromByteOffset: index, as: UInt64.self)
        if x != y { return x.bigEndian < y.bigEndian ? -1 : 1 }
        index += 8
    }
    while index < count {
        let x = one.load(fromByteOffset: index, as: UInt8.self)
        let y = two.load(fromByteOffset: index, as: UInt8.self)
        if x != y { return Int(x) - Int(y) }
        index += 1
    }
    return a.count - b.count
}
