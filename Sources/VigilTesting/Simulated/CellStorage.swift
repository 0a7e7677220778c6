package import VigilStorage

/// Owns the memory of borrowed cells.
final class CellStorage {
    private var buffers: [UnsafeMutableRawBufferPointer] = []

    deinit { removeAll() }

    /// Returns a cell, valid until ``removeAll()``.
    func cell(_ value: StorageValue) -> StorageCell { value.cell(copyingBytes: copy) }

    private func copy(_ bytes: [UInt8]) -> UnsafeRawBufferPointer {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
        buffer.copyBytes(from: bytes)
        buffers.append(buffer)
        return UnsafeRawBufferPointer(buffer)
    }

    /// Overwrites and frees the memory of all cells. Overwriting it makes reads of expired cells noticeable.
    func removeAll() {
        for buffer in buffers {
            buffer.initializeMemory(as: UInt8.self, repeating: UInt8(ascii: "!"))
            buffer.deallocate()
        }
        buffers.removeAll()
    }
}

/// The images of a row change with known values. The values are `nil` once the change has been reported.
package final class SimulatedRowImages: RowImages {
    private let cells = CellStorage()
    private var old: [StorageCell]?
    private var new: [StorageCell]?
    package let columnNames: [String]

    package init(columnNames: [String], old: [StorageValue]?, new: [StorageValue]?) {
        self.columnNames = columnNames
        let cells = cells
        self.old = old?.map { cells.cell($0) }
        self.new = new?.map { cells.cell($0) }
    }

    package func oldValue(at column: Int) -> StorageCell? { old?[column] }

    package func newValue(at column: Int) -> StorageCell? { new?[column] }

    /// Ends the validity of the images.
    package func end() {
        old = nil
        new = nil
        cells.removeAll()
    }
}
