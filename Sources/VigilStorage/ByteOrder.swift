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
