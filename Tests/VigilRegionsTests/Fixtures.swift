import VigilRegions
import VigilStorage

/// Row images that own the memory of their values, and count how often values are read.
final class FakeImages: RowImages {
    let columnNames: [String]
    private let old: [StorageValue]?
    private let new: [StorageValue]?
    /// The columns whose values are unavailable.
    private let missing: Set<String>
    /// The columns with unavailable values that did not change.
    private let unchanged: Set<String>
    private var allocations: [UnsafeMutableRawBufferPointer] = []
    private(set) var readCount = 0

    init(
        _ columnNames: [String], old: [StorageValue]?, new: [StorageValue]?, missing: Set<String> = [],
        unchanged: Set<String> = []
    ) {
        self.columnNames = columnNames
        self.old = old
        self.new = new
        self.missing = missing
        self.unchanged = unchanged
    }

    deinit {
        for allocation in allocations { allocation.deallocate() }
    }

    func oldValue(at column: Int) -> StorageCell? { old.flatMap { cell($0, column) } }

    func newValue(at column: Int) -> StorageCell? { new.flatMap { cell($0, column) } }

    func isUnchanged(at column: Int) -> Bool { unchanged.contains(columnNames[column]) }

    private func cell(_ values: [StorageValue], _ column: Int) -> StorageCell? {
        missing.contains(columnNames[column]) ? nil : cell(values[column])
    }

    private func cell(_ value: StorageValue) -> StorageCell {
        readCount += 1
        return value.cell(copyingBytes: borrow)
    }

    private func borrow(_ bytes: [UInt8]) -> UnsafeRawBufferPointer {
        let allocation = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
        allocation.copyBytes(from: bytes)
        allocations.append(allocation)
        return UnsafeRawBufferPointer(allocation)
    }
}

extension RowChangeSummary {
    static func insert(_ table: String, _ rowID: Int64) -> RowChangeSummary {
        RowChangeSummary(
            table: TableName(name: table), kind: .insert, oldKey: nil, newKey: .integer(rowID))
    }

    static func delete(_ table: String, _ rowID: Int64) -> RowChangeSummary {
        RowChangeSummary(
            table: TableName(name: table), kind: .delete, oldKey: .integer(rowID), newKey: nil)
    }

    /// Returns an update of some columns of a row (`nil` for any column), which may change its row id.
    static func update(
        _ table: String, _ rowID: Int64, to newRowID: Int64? = nil, _ columns: Set<String>? = nil
    ) -> RowChangeSummary {
        RowChangeSummary(
            table: TableName(name: table), kind: .update, oldKey: .integer(rowID),
            newKey: .integer(newRowID ?? rowID),
            updatedColumns: columns.map { .some(ColumnSet($0), compared: nil) } ?? .all)
    }
}

extension ChangeEvent {
    static func row(
        _ summary: RowChangeSummary, images: FakeImages? = nil
    ) -> ChangeEvent {
        .row(
            RowChange(
                table: summary.table, kind: summary.kind, oldKey: summary.oldKey, newKey: summary.newKey,
                images: images))
    }

    static func insert(_ table: String, _ rowID: Int64) -> ChangeEvent { .row(.insert(table, rowID)) }

    static func delete(_ table: String, _ rowID: Int64) -> ChangeEvent { .row(.delete(table, rowID)) }

    static func update(
        _ table: String, _ rowID: Int64, to newRowID: Int64? = nil, images: FakeImages? = nil
    ) -> ChangeEvent {
        .row(.update(table, rowID, to: newRowID), images: images)
    }
}

extension DatabaseRegion {
    /// Creates the region of a statement that reads the rows of a table that meet conditions.
    init(_ table: String, _ columns: Set<String>?, where conditions: [[RowCondition]]? = nil) {
        let name = TableName(name: table)
        var access = StatementAccess()
        access.reads = [TableRead(name, columns: columns)]
        self.init(reading: access, conditions: conditions.map { [name: $0] } ?? [:])
    }
}

extension RowCondition {
    static func equals(
        _ column: String, _ values: StorageValue..., collation: Collation = .binary
    ) -> RowCondition {
        RowCondition(.named(column), .oneOf(values), collation: collation)
    }

    static func rowID(_ rowIDs: Int64...) -> RowCondition {
        RowCondition(.rowID, .oneOf(rowIDs.map { .integer($0) }))
    }

    /// Returns a condition on a half-open range: from `lower` up to, but not including, `upper`.
    static func range(
        _ column: String, _ lower: StorageValue?, _ upper: StorageValue?, collation: Collation = .binary
    ) -> RowCondition {
        RowCondition(
            .named(column),
            .range(
                lower: lower.map { Bound($0, isIncluded: true) },
                upper: upper.map { Bound($0, isIncluded: false) }), collation: collation)
    }
}

extension StatementAccess {
    init(_ writes: TableWrite...) {
        self.init()
        self.writes = writes
    }
}

extension TableWrite {
    static func update(_ table: String, _ columns: Set<String>) -> TableWrite {
        TableWrite(TableName(name: table), .update(columns: columns))
    }
}

/// Returns an index with the observers 0, 1, 2, … of the regions.
func index(_ regions: DatabaseRegion...) -> RegionIndex {
    var index = RegionIndex()
    for (number, region) in regions.enumerated() {
        index.insert(ObserverID(number), region: region)
    }
    return index
}

extension RegionIndex {
    /// Matches a change of a row, and returns the observers.
    mutating func matches(of row: RowChangeSummary, images: FakeImages? = nil) -> [Int] {
        var matches: [RegionMatch] = []
        match(row, images: images, into: &matches)
        return matches.map(\.observer.rawValue).sorted()
    }
}

extension RegionMatch {
    var reason: MatchReason { change.reason }
    var cause: MatchCause? { change.cause }
}

extension ChangeSet {
    func union(_ other: ChangeSet, rowLimit: Int = defaultRowLimit) -> ChangeSet {
        var union = self
        union.formUnion(other, rowLimit: rowLimit)
        return union
    }
}

extension TransactionChanges {
    @discardableResult
    mutating func beginStatement(access: StatementAccess) -> StatementColumns {
        beginStatement(StatementColumns(access))
    }
}

/// The transactions of a connection: an index, and a collector of changes.
struct Recorder {
    var index: RegionIndex
    var changes = TransactionChanges()
    var ignoresNoOpUpdates = true

    init(_ regions: DatabaseRegion...) {
        index = RegionIndex()
        for (number, region) in regions.enumerated() {
            index.insert(ObserverID(number), region: region)
        }
    }

    mutating func record(_ events: ChangeEvent...) {
        for event in events {
            changes.record(event, in: &index, ignoresNoOpUpdates: ignoresNoOpUpdates)
        }
    }

    mutating func rollback(to savepoint: String) {
        changes.didRollback(to: savepoint, in: &index)
    }

    /// Commits, and returns the observers that matched.
    mutating func commit() -> [Int] {
        changes.finish(in: &index).matches.map(\.observer.rawValue).sorted()
    }
}
