import Synchronization
import VigilStorage

/// The databases of one simulated backend, by their location.
final class SimulatedDisk: Sendable {
    private struct Entry {
        let store = SimulatedStore()
        /// A database can be watched before there is one.
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

    /// - Returns: the database and a number for the connection.
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

    /// A connection was closed: a database in memory goes with its last one.
    func close(_ location: StorageLocation) {
        content.withLock { content in
            guard var entry = content.entries[location] else { return }
            entry.connections -= 1
            content.entries[location] = location.isInMemory && entry.connections == 0 ? nil : entry
        }
    }

    /// - Returns: `nil` for a database in memory.
    func watch(_ location: StorageLocation, _ onSign: @escaping @Sendable () -> Void) -> SimulatedWatch? {
        if location.isInMemory { return nil }
        let (store, number) = content.withLock { content in
            let entry = content.entries[location] ?? Entry()
            content.entries[location] = entry
            return (entry.store, content.number())
        }
        return SimulatedWatch(of: store, number: number, onSign: onSign)
    }
}

extension StorageLocation {
    fileprivate var isInMemory: Bool {
        if case .memory = self { true } else { false }
    }
}
