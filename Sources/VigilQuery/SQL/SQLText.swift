/// A text written piece by piece.
///
/// Appending to it costs less than appending to a `String`, because it keeps no information about its
/// characters.
struct SQLText: ~Copyable {
    // bench: request-build
    private var bytes: UnsafeMutablePointer<UInt8>
    private var capacity = 256
    private var count = 0
    /// The position after the last literal.
    private var literalEnd = 0

    init() {
        bytes = .allocate(capacity: capacity)
    }

    deinit { bytes.deallocate() }

    /// The length of the text in UTF-8 bytes.
    var utf8Count: Int { count }

    /// The written text.
    var string: String { String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self) }

    mutating func append(_ text: String) {
        Self.withBytes(of: text) { source in
            reserve(source.count)
            write(source)
        }
    }

    mutating func append(spaced text: String) {
        Self.withBytes(of: text) { source in
            reserve(source.count + 2)
            write(UInt8(ascii: " "))
            write(source)
            write(UInt8(ascii: " "))
        }
    }

    /// Appends a name in double quotes, whatever characters it contains.
    mutating func append(identifier: String) {
        let quote = UInt8(ascii: "\"")
        Self.withBytes(of: identifier) { source in
            // Each character may be a quote, to be doubled.
            reserve(2 * source.count + 2)
            write(quote)
            for byte in source {
                write(byte)
                if byte == quote { write(quote) }
            }
            write(quote)
        }
    }

    /// Appends a literal. Unlike a parameter, it is separated from a word or a minus sign before it.
    mutating func append(literal: String) {
        if count > 0, bytes[count - 1] == UInt8(ascii: "-") || Self.isNamePart(bytes[count - 1]) {
            append(" ")
        }
        append(literal)
        literalEnd = count
    }

    /// Appends a text, and separates it from a literal before it.
    mutating func append(afterLiteral text: String) {
        if count > 0, count == literalEnd, let first = text.utf8.first, Self.isNamePart(first) { append(" ") }
        append(text)
    }

    private static func isNamePart(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"), 0x80...:
            true
        default: false
        }
    }

    /// Calls `body` with the bytes of a text, without copying it if possible.
    private static func withBytes(of text: String, _ body: (UnsafeBufferPointer<UInt8>) -> Void) {
        if text.utf8.withContiguousStorageIfAvailable(body) == nil {
            Array(text.utf8).withUnsafeBufferPointer(body)
        }
    }

    /// Writes bytes to the reserved space.
    private mutating func write(_ source: UnsafeBufferPointer<UInt8>) {
        guard let start = source.baseAddress else { return }
        (bytes + count).update(from: start, count: source.count)
        count += source.count
    }

    private mutating func write(_ byte: UInt8) {
        bytes[count] = byte
        count += 1
    }

    private mutating func reserve(_ additional: Int) {
        if count + additional > capacity { grow(additional) }
    }

    private mutating func grow(_ additional: Int) {
        capacity = max(2 * capacity, count + additional)
        let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
        larger.update(from: bytes, count: count)
        bytes.deallocate()
        bytes = larger
    }
}
