import VigilLists
import VigilStorage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The cells of a row that outlives its statement, in one memory block: the cells, followed by their text and
/// blobs.
///
/// A copied row can therefore be read like the current row of a statement, and copying takes one allocation
/// for any number of columns.
enum PackedCells {
    /// Copies `count` cells along with their text and blobs. The caller passes the result to
    /// ``deallocate(_:)``.
    static func copy(_ cells: UnsafePointer<StorageCell>, count: Int) -> UnsafeMutablePointer<StorageCell> {
        let memory = allocate(byteCount(cells, count: count))
        let copies = memory.bindMemory(to: StorageCell.self, capacity: count)
        var end = memory + count * MemoryLayout<StorageCell>.stride
        for index in 0..<count {
            let cell = cells[index]
            (copies + index).initialize(to: cell.isBorrowing ? cell.moved(to: &end) : cell)
        }
        return copies
    }

    /// Creates the cells of a packed row (`PackedValues`). The caller passes the result to
    /// ``deallocate(_:)``.
    static func unpack(
        _ packed: UnsafeRawBufferPointer, count: Int
    ) -> UnsafeMutablePointer<StorageCell> {
        // Packed texts and blobs are not shorter.
        let memory = allocate(count * MemoryLayout<StorageCell>.stride + packed.count)
        let cells = memory.bindMemory(to: StorageCell.self, capacity: count)
        var end = memory + count * MemoryLayout<StorageCell>.stride
        var offset = 0
        for index in 0..<count {
            let cell = PackedValues.read(packed, at: &offset)
            (cells + index).initialize(to: cell.isBorrowing ? cell.moved(to: &end) : cell)
        }
        return cells
    }

    /// Returns the memory that copies of some cells take.
    static func byteCount(_ cells: UnsafePointer<StorageCell>, count: Int) -> Int {
        (0..<count).reduce(count * MemoryLayout<StorageCell>.stride) {
            $0 + (cells[$1].isBorrowing ? cells[$1].bytes.count : 0)
        }
    }

    /// Creates cells that hold `values`. The caller passes the result to ``deallocate(_:)``.
    static func make(_ values: [StorageValue]) -> UnsafeMutablePointer<StorageCell> {
        let cellBytes = values.count * MemoryLayout<StorageCell>.stride
        let byteCount = values.reduce(cellBytes) { count, value in
            switch value {
            case .text(let text): count + text.utf8.count
            case .blob(let bytes): count + bytes.count
            default: count
            }
        }
        let memory = allocate(byteCount)
        let cells = memory.bindMemory(to: StorageCell.self, capacity: values.count)
        var end = memory + cellBytes
        for (index, value) in values.enumerated() {
            (cells + index).initialize(to: cell(value, in: &end))
        }
        return cells
    }

    /// Allocates memory, to be released by ``deallocate(_:)``. It is aligned for any type. The library's
    /// function, which aligns memory itself, takes twice as long on Linux (bench: decode-rows).
    static func allocate(_ byteCount: Int) -> UnsafeMutableRawPointer {
        // Without memory, the other function ends the process.
        malloc(max(1, byteCount)) ?? .allocate(byteCount: byteCount, alignment: 1)
    }

    static func deallocate(_ memory: UnsafeMutableRawPointer) { free(memory) }

    private static func cell(_ value: StorageValue, in end: inout UnsafeMutableRawPointer) -> StorageCell {
        switch value {
        case .null: return .null
        case .integer(let integer): return StorageCell(integer: integer)
        case .real(let real): return StorageCell(real: real)
        case .text(var text):
            return text.withUTF8 { StorageCell(borrowingText: UnsafeRawBufferPointer($0)).moved(to: &end) }
        case .blob(let bytes):
            return bytes.withUnsafeBytes { StorageCell(borrowingBlob: $0).moved(to: &end) }
        }
    }
}

extension StorageCell {
    fileprivate var isBorrowing: Bool { kind == .text || kind == .blob }

    /// Copies the text or blob to `end`, advances `end`, and returns a cell that borrows the copy.
    fileprivate func moved(to end: inout UnsafeMutableRawPointer) -> StorageCell {
        let bytes = self.bytes
        if let start = bytes.baseAddress { end.copyMemory(from: start, byteCount: bytes.count) }
        let copy = UnsafeRawBufferPointer(start: end, count: bytes.count)
        end += bytes.count
        return borrowing(copy)
    }
}
