/// Keys written one after the other, in memory that only the buffer refers to.
package struct KeyBuffer: ~Copyable {
    private var bytes: UnsafeMutableRawPointer?
    private var capacity = 0
    private var byteCount = 0
    /// The end of each key in ``bytes``.
    private var ends: UnsafeMutablePointer<Int>?
    private var countCapacity = 0
    package private(set) var count = 0

    package init() {}

    deinit {
        bytes?.deallocate()
        ends?.deallocate()
    }

    /// Returns a writer of the next key. Pass it to ``end(_:)`` before any other call.
    ///
    /// - Parameter length: the greatest possible length of the key in bytes.
    package mutating func begin(ofAtMost length: Int) -> KeyWriter {
        if length >= capacity - byteCount { growBytes(by: length) }
        if count == countCapacity { growEnds() }
        return KeyWriter(bytes.unsafelyUnwrapped + byteCount, capacity: capacity - byteCount)
    }

    /// Adds the key written last.
    package mutating func end(_ key: KeyWriter) {
        byteCount += key.count
        ends.unsafelyUnwrapped[count] = byteCount
        count += 1
    }

    private mutating func growBytes(by length: Int) {
        // Most changes lead to a fetch of few rows.
        capacity = max(128, capacity * 2, byteCount + length + 1)
        let larger = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 8)
        if let bytes {
            larger.copyMemory(from: bytes, byteCount: byteCount)
            bytes.deallocate()
        }
        bytes = larger
    }

    private mutating func growEnds() {
        countCapacity = max(4, countCapacity * 2)
        let larger = UnsafeMutablePointer<Int>.allocate(capacity: countCapacity)
        if let ends {
            larger.moveInitialize(from: ends, count: count)
            ends.deallocate()
        }
        ends = larger
    }

    /// Calls `body` with all keys. They are valid until it returns.
    func withKeys<Result>(_ body: (KeyPointers) -> Result) -> Result {
        body(
            KeyPointers(
                bytes: UnsafeRawBufferPointer(start: bytes, count: byteCount),
                ends: UnsafeBufferPointer(start: ends, count: count)))
    }

    package var list: KeyList { withKeys { KeyList($0) } }
}
