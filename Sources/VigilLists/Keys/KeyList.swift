import VigilStorage

/// A growing list of keys in one array of bytes.
package struct KeyList: Sendable {
    package private(set) var bytes: [UInt8] = []
    /// The end of each key in ``bytes``.
    package private(set) var ends: [Int] = []

    package init() {}

    init(_ keys: KeyPointers) {
        bytes = Array(keys.bytes)
        ends = Array(keys.ends)
    }

    package var count: Int { ends.count }

    package mutating func reserveCapacity(_ keys: Int, bytes byteCount: Int) {
        bytes.reserveCapacity(byteCount)
        ends.reserveCapacity(keys)
    }

    /// Removes all keys, and keeps the memory for others.
    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        ends.removeAll(keepingCapacity: true)
    }

    package func range(at index: Int) -> Range<Int> { (index == 0 ? 0 : ends[index - 1])..<ends[index] }

    /// Appends the bytes added by `build` as a key.
    package mutating func append<Result>(_ build: (inout [UInt8]) -> Result) -> Result {
        let result = build(&bytes)
        ends.append(bytes.count)
        return result
    }

    package mutating func append(_ key: UnsafeRawBufferPointer) {
        bytes.append(contentsOf: key)
        ends.append(bytes.count)
    }

    package func withKey<Result>(at index: Int, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[range(at: index)])) }
    }

    /// Calls `body` with the first key, valid until it returns; with `nil` if the list is empty.
    func withFirstKey<Result>(_ body: (UnsafeRawBufferPointer?) -> Result) -> Result {
        bytes.withUnsafeBytes { bytes in
            body(ends.first.map { UnsafeRawBufferPointer(rebasing: bytes[..<$0]) })
        }
    }

    /// Calls `body` with all keys. They are valid until it returns.
    func withKeys<Result>(_ body: (KeyPointers) -> Result) -> Result {
        bytes.withUnsafeBytes { bytes in
            ends.withUnsafeBufferPointer { body(KeyPointers(bytes: bytes, ends: $0)) }
        }
    }

    /// The indices of the keys in ascending order, with the last one of several equal keys only; `nil` if the
    /// keys already ascend.
    package func ascendingIndices() -> [Int]? {
        withKeys { keys in
            if keys.ascend { return nil }
            var indices: [Int] = []
            for index in (0..<count).sorted(by: { a, b in
                let order = compareBytes(keys[a], keys[b])
                return order == 0 ? a < b : order < 0
            }) {
                if let last = indices.last, compareBytes(keys[last], keys[index]) == 0 {
                    indices.removeLast()
                }
                indices.append(index)
            }
            return indices
        }
    }

    package func selecting(_ indices: [Int]) -> KeyList {
        var selection = KeyList()
        selection.reserveCapacity(indices.count, bytes: bytes.count)
        withKeys { keys in
            for index in indices { selection.append(keys[index]) }
        }
        return selection
    }
}

/// The keys of a list as pointers, without reference counting.
struct KeyPointers {
    let bytes: UnsafeRawBufferPointer
    let ends: UnsafeBufferPointer<Int>

    var count: Int { ends.count }

    /// Whether each key is below the next one.
    var ascend: Bool {
        guard count > 1 else { return true }
        return (1..<count).allSatisfy { compareBytes(self[$0 - 1], self[$0]) < 0 }
    }

    func start(of index: Int) -> Int { index == 0 ? 0 : ends[index - 1] }

    @inline(__always)  // bench: list-start
    subscript(index: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: bytes[start(of: index)..<ends[index]])
    }
}
