import VigilEngine

/// The source values of a record of a ``PrimaryKeyList``.
private enum PrimaryKeyListContent {
    case row(Row)
    /// The columns of a record created without a row.
    case encoded(PersistenceContainer)
}

/// Records sorted by primary key, with their source values.
struct PrimaryKeyList<Record> {
    fileprivate struct Element {
        let key: PrimaryKeyValues
        let content: PrimaryKeyListContent
        let record: Record
    }

    private let keyColumns: [PrimaryKeyColumn]
    private var elements: [Element] = []
    /// The records without key, because the key columns have changed since they were fetched.
    private var recordsWithoutKey: [Record] = []

    init(keyColumns: [PrimaryKeyColumn]) {
        self.keyColumns = keyColumns
    }

    /// Creates a list of records without rows.
    ///
    /// - Throws: Any error thrown while the records are encoded.
    init(keyColumns: [PrimaryKeyColumn], records: [Record]) throws where Record: EncodableRecord {
        self.keyColumns = keyColumns
        elements = try records.map { record in
            let container = try PersistenceContainer(record)
            let key = PrimaryKeyValues(
                values: keyColumns.map { $0.stored(container.databaseValue(of: $0.name)) })
            return Element(key: key, content: .encoded(container), record: record)
        }
        elements.sortIfNeeded(by: \.key)
    }

    /// Returns a list of the same records with other key columns. Records without a value for one of them
    /// match no row.
    func keyed(by keyColumns: [PrimaryKeyColumn]) -> PrimaryKeyList {
        guard keyColumns != self.keyColumns else { return self }
        var list = PrimaryKeyList(keyColumns: keyColumns)
        list.recordsWithoutKey = recordsWithoutKey
        for element in elements {
            let values = keyColumns.compactMap { element.content.value(of: $0) }
            if values.count == keyColumns.count {
                list.elements.append(
                    Element(
                        key: PrimaryKeyValues(values: values), content: element.content,
                        record: element.record))
            } else {
                list.recordsWithoutKey.append(element.record)
            }
        }
        list.elements.sortIfNeeded(by: \.key)
        return list
    }

    /// Replaces the list by the records of rows, and returns the difference.
    ///
    /// Takes linear time if the rows are sorted by primary key. Otherwise it sorts them first.
    ///
    /// - Throws: `DatabaseError` if a row lacks a column of the primary key, and the errors of the closures.
    ///   The list is then unchanged.
    mutating func replace(
        with rows: [Row], makeRecord: (Row) throws -> Record, updateRecord: (Record, Row) throws -> Record
    ) throws -> PrimaryKeyDiff<Record> {
        var keyedRows = try rows.map { (key: try key(of: $0), row: $0.copy()) }
        keyedRows.sortIfNeeded(by: \.key)
        var (inserted, updated, deleted) = ([Record](), [Record](), recordsWithoutKey)
        var new: [Element] = []
        new.reserveCapacity(rows.count)
        var position = elements.startIndex
        for (key, row) in keyedRows {
            var old: Element?
            while position < elements.endIndex, old == nil {
                let order = elements[position].key.order(to: key)
                if order > 0 { break }
                if order == 0 {
                    old = elements[position]
                } else {
                    deleted.append(elements[position].record)
                }
                position += 1
            }
            let record: Record
            if let old, old.content.isIdentical(to: row, exceptFor: keyColumns) {
                record = old.record
            } else if let old {
                record = try updateRecord(old.record, row)
                updated.append(record)
            } else {
                record = try makeRecord(row)
                inserted.append(record)
            }
            new.append(Element(key: key, content: .row(row), record: record))
        }
        deleted += elements[position...].map(\.record)
        (elements, recordsWithoutKey) = (new, [])
        return PrimaryKeyDiff(inserted: inserted, updated: updated, deleted: deleted)
    }

    private func key(of row: Row) throws -> PrimaryKeyValues {
        PrimaryKeyValues(
            values: try keyColumns.map { column in
                guard let index = row.index(ofColumn: column.name) else {
                    throw DatabaseError.missingKey(column.name)
                }
                return row.databaseValue(at: index)
            })
    }
}

extension PrimaryKeyList: Sendable where Record: Sendable {}
extension PrimaryKeyList.Element: Sendable where Record: Sendable {}

extension PrimaryKeyListContent {
    /// Returns the value of a key column, or `nil` if the record has none.
    fileprivate func value(of column: PrimaryKeyColumn) -> DatabaseValue? {
        switch self {
        case .row(let row): row.index(ofColumn: column.name).map { row.databaseValue(at: $0) }
        case .encoded(let container):
            container.index(of: column.name).map { column.stored(container.values[$0]) }
        }
    }

    /// Whether a record decoded from a row with the same key certainly equals the one of this content.
    fileprivate func isIdentical(to row: Row, exceptFor keyColumns: [PrimaryKeyColumn]) -> Bool {
        switch self {
        case .row(let old): return old.isIdentical(to: row)
        // The database may store a number in another form than encoded by the record.
        case .encoded(let container):
            guard row.scopes.isEmpty, row.prefetchedRows.isEmpty else { return false }
            let keyIndexes = keyColumns.map { row.index(ofColumn: $0.name) }
            return row.enumerated().allSatisfy { index, cell in
                keyIndexes.contains(index)
                    || container.index(of: cell.0).map { container.values[$0] == cell.1 } ?? false
            }
        }
    }
}

extension DatabaseError {
    static func missingKey(_ column: String) -> DatabaseError {
        DatabaseError(
            resultCode: .SQLITE_MISUSE,
            message:
                "the primary key column \"\(column)\" is not selected: select all columns of the primary key to "
                + "compute differences")
    }
}

extension Array {
    /// Sorts the elements by key, in linear time if they are sorted already.
    fileprivate mutating func sortIfNeeded(by key: (Element) -> PrimaryKeyValues) {
        let isSorted = zip(self, dropFirst()).allSatisfy { key($0).order(to: key($1)) <= 0 }
        if !isSorted { sort { key($0).order(to: key($1)) < 0 } }
    }
}
