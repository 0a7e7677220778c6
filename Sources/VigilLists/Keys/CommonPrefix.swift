/// Returns the number of equal bytes at the beginning, at most `limit`. Both buffers must have `limit` bytes.
func commonPrefix(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer, limit: Int) -> Int {
    var index = 0
    while index + 8 <= limit,
        a.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            == b.loadUnaligned(fromByteOffset: index, as: UInt64.self)
    { index += 8 }
    while index < limit, a[index] == b[index] { index += 1 }
    return index
}
