import VigilStorage

/// The positions of a table's columns in its row images, by name. Created once for each table.
final class ImagePositions: Sendable {
    let names: [String]
    private let positions: [ColumnName: Int]

    init(names: [String]) {
        self.names = names
        positions = Dictionary(
            zip(names.lazy.map { ColumnName($0) }, names.indices), uniquingKeysWith: { first, _ in first })
    }

    func position(of column: ColumnName) -> Int? { positions[column] }
}

/// The values of a changed row, to be tested.
struct RowValues {
    enum Version {
        case old
        case new
    }

    enum Value {
        /// An unknown value: it may be any value, or NULL.
        case unknown
        /// The value; `nil` for NULL.
        case known(ComparedValue?)
    }

    let oldKey: RowKey?
    let newKey: RowKey?
    let images: (any RowImages)?
    /// The positions of the columns; `nil` without images.
    let positions: ImagePositions?

    init(_ row: RowChangeSummary, images: (any RowImages)?, positions: ImagePositions?) {
        oldKey = row.oldKey
        newKey = row.newKey
        self.images = images
        self.positions = positions
    }

    init(_ row: RowChangeSummary, images: (any RowImages)?) {
        self.init(row, images: images, positions: images.map { ImagePositions(names: $0.columnNames) })
    }

    /// Returns whether the version exists: inserted rows have no old version, deleted ones no new one.
    func has(_ version: Version) -> Bool { key(version) != nil }

    private func key(_ version: Version) -> RowKey? {
        switch version {
        case .old: oldKey
        case .new: newKey
        }
    }

    func withValue<Result>(
        of column: TestedColumn, _ version: Version, _ body: (Value) -> Result
    ) -> Result {
        switch column.column {
        case .rowID:
            guard case .integer(let rowID) = key(version) else { return body(.unknown) }
            return body(.known(.integer(rowID)))
        case .named(let name):
            guard let position = positions?.position(of: name), let cell = cell(at: position, version) else {
                return body(.unknown)
            }
            return cell.withCompared(column.collation) { body(.known($0)) }
        }
    }

    /// Returns the cell at a position; `nil` if it is unknown.
    func cell(at position: Int, _ version: Version) -> StorageCell? {
        switch version {
        case .old: images?.oldValue(at: position)
        case .new: images?.newValue(at: position)
        }
    }
}
