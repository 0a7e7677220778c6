import VigilStorage

/// Writes a key into preallocated memory.
package struct KeyWriter {
    private let start: UnsafeMutableRawPointer
    private let capacity: Int
    package private(set) var count = 0

    /// - Parameter capacity: the greatest possible number of bytes.
    init(_ memory: UnsafeMutableRawPointer, capacity: Int) {
        start = memory
        self.capacity = capacity
    }

    /// Calls `body` with a writer into temporary memory.
    static func withWriter<Result>(ofAtMost byteCount: Int, _ body: (inout KeyWriter) -> Result) -> Result {
        withUnsafeTemporaryAllocation(byteCount: byteCount, alignment: 8) { memory in
            var writer = KeyWriter(memory.baseAddress.unsafelyUnwrapped, capacity: byteCount)
            return body(&writer)
        }
    }

    var key: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start, count: count) }

    /// Makes room for bytes, and returns where they begin.
    private mutating func extend(by byteCount: Int) -> UnsafeMutableRawPointer {
        trap(unless: byteCount <= capacity - count, "a key is longer than computed")
        defer { count += byteCount }
        return start + count
    }

    mutating func append(_ byte: UInt8) { extend(by: 1).storeBytes(of: byte, as: UInt8.self) }

    mutating func append(contentsOf bytes: UnsafeRawBufferPointer) {
        let place = extend(by: bytes.count)
        if let source = bytes.baseAddress { place.copyMemory(from: source, byteCount: bytes.count) }
    }

    mutating func append(zeros count: Int) {
        extend(by: count).initializeMemory(as: UInt8.self, repeating: 0, count: count)
    }

    /// Appends the bytes of an integer, the most significant one first.
    mutating func append<Integer: FixedWidthInteger & BitwiseCopyable>(bigEndian integer: Integer) {
        extend(by: MemoryLayout<Integer>.size).storeBytes(of: integer.bigEndian, as: Integer.self)
    }

    /// Appends a byte and the bytes of two integers, the most significant ones first.
    mutating func append(_ byte: UInt8, bigEndian first: UInt64, _ second: UInt16) {
        let place = extend(by: 11)
        place.storeBytes(of: byte, as: UInt8.self)
        place.storeBytes(of: first.bigEndian, toByteOffset: 1, as: UInt64.self)
        place.storeBytes(of: second.bigEndian, toByteOffset: 9, as: UInt16.self)
    }

    /// Complements the bytes from an index to the end.
    mutating func complement(from index: Int) {
        for byte in index..<count {
            let complement = ~start.load(fromByteOffset: byte, as: UInt8.self)
            start.storeBytes(of: complement, toByteOffset: byte, as: UInt8.self)
        }
    }
}
