public import VigilEngine
import VigilStorage

/// Computes the differences between successive results of a request, by primary key.
///
/// ```swift
/// let request = Place.orderByPrimaryKey()
/// var scanner = try dbQueue.read { db in
///     try PrimaryKeyDiffScanner(database: db, request: request, initialRecords: [])
/// }
/// let observation = ValueObservation.trackingAll(request.asRequest(of: Row.self))
/// for try await rows in observation.values(in: dbQueue) {
///     scanner = try scanner.diffed(from: rows)
///     print(scanner.diff.inserted, scanner.diff.updated, scanner.diff.deleted)
/// }
/// ```
///
/// `ValueObservation.trackingDiffs(_:updateRecord:)` does the same in one step.
///
/// A scanner takes linear time if the rows are sorted by primary key, with the collation `BINARY` for text,
/// as in `Place.order(Column("uuid").collating(.binary))`. It sorts rows in another order first. Keys are
/// compared by their bytes: a change of a key from `a` to `A` is a deletion and an insertion, whatever the
/// collation of its column.
///
/// Each row needs a unique key. If a request returns several rows with the same key, as a join may, the
/// differences depend on their order. The same applies to rows with NULL keys: NULL equals NULL.
public struct PrimaryKeyDiffScanner<Record: FetchableRecord & MutablePersistableRecord> {
    /// The difference between the rows of the last ``diffed(from:)`` and the previous ones. Empty until
    /// `diffed(from:)` is called.
    public let diff: PrimaryKeyDiff<Record>
    private let list: PrimaryKeyList<Record>
    private let updateRecord: (Record, Row) throws -> Record

    /// Creates a scanner.
    ///
    /// - Parameters:
    ///   - database: A database with the table of the records and its primary key.
    ///   - request: The request with the results to compare. It is not run.
    ///   - initialRecords: The records to compare the first rows with. Their values of the primary key are
    ///     converted as in its columns: the number 1 matches the key `'1'` of a `TEXT` column.
    ///   - updateRecord: Returns the record of a row, given the previous record with the same primary key.
    ///     Return the previous record, modified, to keep the identity of an object. By default, a record is
    ///     decoded from the row.
    /// - Throws: `DatabaseError` if the request does not compile, or does not select all columns of the
    ///   primary key; any error thrown while the initial records are encoded.
    public init<Request: FetchRequest>(
        database: Database, request: Request, initialRecords: [Record],
        updateRecord: ((Record, Row) throws -> Record)? = nil
    ) throws where Request.RowDecoder == Record {
        let keyColumns = try Record.diffedKeyColumns(of: request, database)
        diff = PrimaryKeyDiff()
        list = try PrimaryKeyList(keyColumns: keyColumns, records: initialRecords)
        self.updateRecord = updateRecord ?? { _, row in try Record(row: row) }
    }

    private init(
        diff: PrimaryKeyDiff<Record>, list: PrimaryKeyList<Record>,
        updateRecord: @escaping (Record, Row) throws -> Record
    ) {
        self.diff = diff
        self.list = list
        self.updateRecord = updateRecord
    }

    /// Returns a scanner with a ``diff`` between the rows of this scanner and the given rows.
    ///
    /// A row with the same values as before keeps its record.
    ///
    /// - Throws: `DatabaseError` if a row lacks a column of the primary key; any error thrown while records
    ///   are decoded or updated.
    public func diffed(from rows: [Row]) throws -> PrimaryKeyDiffScanner {
        var list = list
        let diff = try list.replace(
            with: rows, makeRecord: { try Record(row: $0) }, updateRecord: updateRecord)
        return PrimaryKeyDiffScanner(diff: diff, list: list, updateRecord: updateRecord)
    }
}

extension TableRecord {
    /// Returns the columns of the primary key, for comparing the results of a request.
    ///
    /// - Throws: `DatabaseError` if the request does not select them.
    static func diffedKeyColumns(of request: some FetchRequest, _ db: Database) throws -> [PrimaryKeyColumn] {
        let columns = try db.withoutRecording {
            let declared = try db.columns(in: databaseTableName)
            return try db.primaryKey(databaseTableName).columns.map { name in
                let column = declared.first { $0.name.isSameName(as: name) }
                return PrimaryKeyColumn(
                    name: name, affinity: column.map { ColumnAffinity(declaredType: $0.type) } ?? .numeric)
            }
        }
        let prepared = try request.makePreparedRequest(db, forSingleResult: false)
        // The columns of adapted rows are checked when they are fetched.
        guard prepared.adapter == nil else { return columns }
        let selected = prepared.statement.columnNames
        for column in columns where !selected.contains(where: { $0.isSameName(as: column.name) }) {
            throw DatabaseError.missingKey(column.name)
        }
        return columns
    }
}
