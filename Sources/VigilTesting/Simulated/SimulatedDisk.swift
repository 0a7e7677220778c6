import Synchronization
import VigilStorage

/// The databases of a simulated backend, by location.
final class SimulatedDisk: Sendable {
    private struct Entry {
        let store = SimulatedStore()
        /// Whether the database has been created. It can be watched before.
        var exists = false
        var connections = 0
    }

    private struct Content {
        var entries: [StorageLocation: Entry] = [:]
        var lastNumber = 0

        mutating func number() -> Int {
            lastNumber += 1
            return lastNumber
        }
    }

    private let content = Mutex(Content())

    /// Opens a database, and returns it with the number of the connection.
    func open(_ location: StorageLocation, _ access: StorageOptions.Access) throws(StorageError)
        -> (store: SimulatedStore, connection: Int)
    {
        let opened = content.withLock { content -> (SimulatedStore, Int)? in
            if location == .memory(name: nil) { return (SimulatedStore(), content.number()) }
            var entry = content.entries[location] ?? Entry()
            guard entry.exists || access == .create || location.isInMemory else { return nil }
            entry.exists = true
            entry.connections += 1
            content.entries[location] = entry
            return (entry.store, content.number())
        }
        guard let opened else { throw StorageError(.cannotOpen, "unable to open database file") }
        return opened
    }

    /// Removes a connection. A database in memory is deleted with its last connection.
    func close(_ location: StorageLocation) {
        content.withLock { content in
            guard var entry = content.entries[location] else { return }
            entry.connections -= 1
            content.entries[location] = location.isInMemory && entry.connections == 0 ? nil : entry
        }
    }

    /// Watches the commits of a database; returns `nil` for a database in memory.
    func watch(_ location: StorageLocation, _ onHint: @escaping @Sendable () -> Void) -> SimulatedWatch? {
        guard let (store, number) = sharedStore(location) else { return nil }
        return SimulatedWatch(of: store, number: number, onHint: onHint)
    }

    /// Starts a feed of the commits to a database; returns `nil` for a database in memory.
    func feed(
        of location: StorageLocation, options: SimulatedFeedOptions, to receiver: any CommitFeedReceiver
    ) -> SimulatedFeed? {
        guard let (store, number) = sharedStore(location) else { return nil }
        return SimulatedFeed(options, of: store, number: number, to: receiver)
    }

    /// Returns a database that need not exist yet, and a new number; `nil` for a database in memory.
    private func sharedStore(_ location: StorageLocation) -> (SimulatedStore, Int)? {
        if location.isInMemory { return nil }
        return content.withLock { content in
            let entry = content.entries[location] ?? Entry()
            content.entries[location] = entry
            return (entry.store, content.number())
        }
    }
}

extension StorageLocation {
    fileprivate var isInMemory: Bool {
        if case .memory = self { true } else { false }
    }
}
