import Foundation
import Synchronization
import VigilStorage
import VigilTestSupport
import VigilTesting

/// A backend that reports the commits of all its connections by a feed, on the thread of the commit.
struct FedBackend: CommitFeeding, ForwardingBackend {
    let base: any StorageBackend
    let feed = OracleFeed()

    func open(_ location: StorageLocation, options: StorageOptions) throws(StorageError)
        -> any StorageConnection
    {
        let connection = try base.open(location, options: options)
        guard options.access != .readOnly else { return connection }
        return FedConnection(connection, feed)
    }

    func commitFeed(
        of location: StorageLocation, options: StorageOptions, to receiver: any CommitFeedReceiver
    ) throws(StorageError) -> (any StorageCommitFeed)? {
        feed.receiver.withLock { $0 = receiver }
        return feed
    }
}

final class OracleFeed: StorageCommitFeed {
    fileprivate let receiver = Mutex<(any CommitFeedReceiver)?>(nil)
    /// Held while a commit is reported, because two connections may commit at a time.
    private let turn = Mutex(())

    func cancel() { receiver.withLock { $0 = nil } }

    fileprivate func report(_ changes: [CopiedChange]) {
        guard let receiver = receiver.withLock({ $0 }) else { return }
        turn.withLock { _ in
            for change in changes { change.report(to: receiver) }
            receiver.didCommit()
        }
    }
}

/// A change that outlives its report.
private enum CopiedChange {
    case row(TableName, RowChange.Kind, RowKey?, RowKey?, CopiedImages?)
    case other(ChangeEvent)

    init(_ event: ChangeEvent) {
        guard case .row(let row) = event else {
            self = .other(event)
            return
        }
        self = .row(row.table, row.kind, row.oldKey, row.newKey, row.images.map { CopiedImages($0) })
    }

    func report(to receiver: any CommitFeedReceiver) {
        switch self {
        case .other(let event): receiver.didChange(event)
        case .row(let table, let kind, let oldKey, let newKey, let images):
            let images = images?.images
            receiver.didChange(
                .row(RowChange(table: table, kind: kind, oldKey: oldKey, newKey: newKey, images: images)))
            images?.end()
        }
    }
}

/// The values of a changed row; `nil` for an image that has an unknown value.
private struct CopiedImages {
    let columnNames: [String]
    let old: [StorageValue]?
    let new: [StorageValue]?

    init(_ images: any RowImages) {
        columnNames = images.columnNames
        old = Self.values(columnNames.indices.map { images.oldValue(at: $0)?.value })
        new = Self.values(columnNames.indices.map { images.newValue(at: $0)?.value })
    }

    private static func values(_ values: [StorageValue?]) -> [StorageValue]? {
        let known = values.compactMap { $0 }
        return known.count == values.count ? known : nil
    }

    var images: SimulatedRowImages { SimulatedRowImages(columnNames: columnNames, old: old, new: new) }
}

/// Collects the changes of a connection until they are committed. Changes of a savepoint that was rolled back
/// stay among them.
private final class FedSink: ChangeSink {
    weak var target: (any ChangeSink)?
    var interest = ChangeInterest.nothing
    private let feed: OracleFeed
    private var changes: [CopiedChange] = []
    private var isCommitting = false

    init(_ feed: OracleFeed) { self.feed = feed }

    func didChange(_ event: ChangeEvent) {
        changes.append(CopiedChange(event))
        if interest >= .changes { target?.didChange(event) }
    }

    func willCommit() -> Bool {
        isCommitting = interest < .transactions || target?.willCommit() ?? true
        return isCommitting
    }

    func didRollback() {
        changes = []
        isCommitting = false
        if interest >= .transactions { target?.didRollback() }
    }

    /// Reports the commit of a statement or command that has ended, if it has committed.
    func didEnd(isInTransaction: Bool, changesSchema: Bool) {
        if changesSchema { changes.append(.other(.database)) }
        guard !isInTransaction, isCommitting || !changes.isEmpty else { return }
        isCommitting = false
        let committed = changes
        changes = []
        if !committed.isEmpty { feed.report(committed) }
    }
}

private final class FedConnection: ForwardingConnection {
    private let sink: FedSink

    init(_ base: any StorageConnection, _ feed: OracleFeed) {
        sink = FedSink(feed)
        super.init(base)
        base.report(to: sink, interest: .changes)
    }

    override func prepare(_ sql: String, fromUTF8Offset offset: Int, isCached: Bool) throws(StorageError)
        -> StoragePreparation
    {
        var preparation = try super.prepare(sql, fromUTF8Offset: offset, isCached: isCached)
        guard let statement = preparation.statement else { return preparation }
        // COMMIT is read-only.
        guard !statement.access.isReadOnly || statement.access.transactionEffect != nil else {
            return preparation
        }
        preparation.statement = FedStatement(statement) { [weak self] in self?.didEnd(statement) }
        return preparation
    }

    private func didEnd(_ statement: any StorageStatement) {
        sink.didEnd(isInTransaction: base.isInTransaction, changesSchema: statement.access.changesSchema)
    }

    override func report(to sink: (any ChangeSink)?, interest: ChangeInterest) {
        self.sink.target = sink
        self.sink.interest = sink == nil ? .nothing : interest
        super.report(to: self.sink, interest: max(interest, .changes))
    }

    override func perform(_ command: TransactionCommand) throws(StorageError) {
        defer { sink.didEnd(isInTransaction: base.isInTransaction, changesSchema: false) }
        try super.perform(command)
    }
}

/// A statement that may write, and the function to call after each run.
private final class FedStatement: ForwardingStatement {
    private let didEnd: () -> Void

    init(_ base: any StorageStatement, didEnd: @escaping () -> Void) {
        self.didEnd = didEnd
        super.init(base)
    }

    override func step() throws(StorageError) -> Bool {
        var hasRow = false
        defer { if !hasRow { didEnd() } }
        hasRow = try super.step()
        return hasRow
    }

    override func reset() {
        super.reset()
        didEnd()
    }

    override func finalize() {
        super.finalize()
        didEnd()
    }
}
