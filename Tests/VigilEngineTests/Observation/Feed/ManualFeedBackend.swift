import Synchronization
import VigilStorage
import VigilTesting

/// A simulated backend whose feed reports what a test passes to it.
struct ManualFeedBackend: CommitFeeding {
    private let base = SimulatedBackend()
    let feed = ManualFeed()

    var name: String { base.name }

    func open(_ location: StorageLocation, options: StorageOptions) throws(StorageError)
        -> any StorageConnection
    {
        try base.open(location, options: options)
    }

    func watchForeignChanges(
        of location: StorageLocation, onHint: @escaping @Sendable () -> Void
    ) throws(StorageError) -> (any StorageWatch)? {
        try base.watchForeignChanges(of: location, onHint: onHint)
    }

    func commitFeed(
        of location: StorageLocation, options: StorageOptions, to receiver: any CommitFeedReceiver
    ) throws(StorageError) -> (any StorageCommitFeed)? {
        if let failure = feed.failure.withLock({ $0 }) { throw failure }
        feed.receiver.withLock { $0 = receiver }
        return feed
    }
}

final class ManualFeed: StorageCommitFeed {
    fileprivate let receiver = Mutex<(any CommitFeedReceiver)?>(nil)
    /// The error of the start; `nil` if the feed starts.
    let failure = Mutex<StorageError?>(nil)
    let isCancelled = Atomic<Bool>(false)

    var isStarted: Bool { receiver.withLock { $0 != nil } }

    func cancel() {
        isCancelled.store(true, ordering: .sequentiallyConsistent)
        receiver.withLock { $0 = nil }
    }

    func change(_ event: ChangeEvent) { receiver.withLock { $0 }?.didChange(event) }

    func commit(_ events: ChangeEvent...) {
        for event in events { change(event) }
        receiver.withLock { $0 }?.didCommit()
    }

    func enter(_ state: CommitFeedState) { receiver.withLock { $0 }?.stateDidChange(state) }
}

extension ChangeEvent {
    static func insertion(_ table: String, _ rowID: Int64) -> ChangeEvent {
        .row(
            RowChange(table: TableName(name: table), kind: .insert, oldKey: nil, newKey: .integer(rowID)))
    }
}
