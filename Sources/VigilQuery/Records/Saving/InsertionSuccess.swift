/// The result of an insertion, which `didInsert(_:)` receives.
///
/// ```swift
/// extension Player: MutablePersistableRecord {
///     mutating func didInsert(_ inserted: InsertionSuccess) {
///         id = inserted.rowID
///     }
/// }
/// ```
public struct InsertionSuccess {
    /// The row id of the inserted row. It has no meaning for `WITHOUT ROWID` tables, nor after an upsert into a table
    /// whose columns have all names of the row id.
    ///
    /// In databases without row ids, such as those on a server, it is the integer of the primary key. If the key has
    /// several columns, it is the one that the database has generated, or else the last integer. It is 0 if the key has no
    /// integer.
    public var rowID: Int64

    /// The column that contains the ``rowID`` (`INTEGER PRIMARY KEY`); `nil` if there is none.
    public var rowIDColumn: String?

    /// Whether a row was inserted. If not, which is known in databases without row ids, ``rowID`` is 0.
    @usableFromInline
    var isInserted = true

    private var encoded: PersistenceContainer
    private var containsRowID: Bool

    /// The columns that were inserted, and their values, including the column of the row id. In databases without row
    /// ids, they include all columns of the primary key.
    public var persistenceContainer: PersistenceContainer {
        get {
            guard !containsRowID, let rowIDColumn else { return encoded }
            var container = encoded
            container[rowIDColumn] = rowID
            return container
        }
        set {
            encoded = newValue
            containsRowID = true
        }
    }

    /// The result of an insertion that has inserted nothing, because of a conflict that is ignored.
    static func nothing(_ encoded: PersistenceContainer) -> InsertionSuccess {
        var success = InsertionSuccess(rowID: 0, rowIDColumn: nil, encoded: encoded)
        success.isInserted = false
        return success
    }

    init(rowID: Int64, rowIDColumn: String?, encoded: PersistenceContainer) {
        self.rowID = rowID
        self.rowIDColumn = rowIDColumn
        self.encoded = encoded
        containsRowID = false
    }
}

/// The result of an insertion or an update, which `didSave(_:)` and `didUpdate(_:)` receive.
///
/// ```swift
/// func didSave(_ saved: PersistenceSuccess) {
///     print("saved the columns \(saved.persistenceContainer.map(\.0))")
/// }
/// ```
public struct PersistenceSuccess {
    private enum Content {
        case inserted(InsertionSuccess)
        case updated(PersistenceContainer)
    }

    private var content: Content

    /// The columns that the record encoded, and their values.
    public var persistenceContainer: PersistenceContainer {
        get {
            switch content {
            case .inserted(let inserted): inserted.persistenceContainer
            case .updated(let container): container
            }
        }
        set { content = .updated(newValue) }
    }

    @usableFromInline
    init(_ inserted: InsertionSuccess) {
        content = .inserted(inserted)
    }

    init(updated container: PersistenceContainer) {
        content = .updated(container)
    }
}
