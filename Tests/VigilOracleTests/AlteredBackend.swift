import VigilStorage
import VigilTestSupport

/// A backend whose statements have no conditions on rows, and whose changes may have no values.
struct AlteredBackend: ForwardingBackend {
    let base: any StorageBackend
    let reportsImages: Bool

    func open(_ location: StorageLocation, options: StorageOptions) throws(StorageError)
        -> any StorageConnection
    {
        AlteredConnection(try base.open(location, options: options), reportsImages: reportsImages)
    }
}

private final class AlteredConnection: ForwardingConnection, RowImageProviding {
    private let reportsImages: Bool
    /// The sink of the base connection, which does not retain it.
    private var sink: AlteredSink?

    init(_ base: any StorageConnection, reportsImages: Bool) {
        self.reportsImages = reportsImages
        super.init(base)
    }

    override func prepare(_ sql: String, fromUTF8Offset offset: Int, isCached: Bool) throws(StorageError)
        -> StoragePreparation
    {
        var preparation = try base.prepare(sql, fromUTF8Offset: offset, isCached: isCached)
        preparation.statement = preparation.statement.map { AlteredStatement($0) }
        return preparation
    }

    override func report(to sink: (any ChangeSink)?, interest: ChangeInterest) {
        if reportsImages { return base.report(to: sink, interest: interest) }
        self.sink = sink.map { AlteredSink($0) }
        base.report(to: self.sink, interest: interest)
    }

    func provideRowImages(of tables: Set<TableName>) {
        (base as? any RowImageProviding)?.provideRowImages(of: tables)
    }
}

/// A statement without conditions on rows.
final class AlteredStatement: ForwardingStatement {
    override var rowConditions: RowConditionReport { RowConditionReport() }
}

/// Forwards changes without their values.
private final class AlteredSink: ChangeSink {
    private weak var target: (any ChangeSink)?

    init(_ target: any ChangeSink) { self.target = target }

    func didChange(_ event: ChangeEvent) {
        guard case .row(let row) = event else { return target?.didChange(event) ?? () }
        target?.didChange(
            .row(
                RowChange(
                    table: row.table, kind: row.kind, oldKey: row.oldKey, newKey: row.newKey, images: nil)))
    }

    func willCommit() -> Bool { target?.willCommit() ?? true }
    func didRollback() { target?.didRollback() }
}
