import Synchronization
import VigilStorage
import VigilTesting

/// A simulated backend whose feed reports what a test passes to it.
struct ManualFeedBackend: CommitFeeding, ForwardingBackend {
    let base: any StorageBackend = SimulatedBackend()
    let feed = ManualFeed()

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
