#if SQLCipher
    import Synchronization
    import VigilStorage

    /// The keys given to databases since a backend was created, by location.
    final class ChangedKeys: Sendable {
        private let keys = Mutex<[StorageLocation: CipherKey]>([:])

        subscript(location: StorageLocation) -> CipherKey? {
            get { keys.withLock { $0[location] } }
            set {
                // Release a replaced key outside of the lock.
                _ = keys.withLock { keys in
                    let old = keys[location]
                    keys[location] = newValue
                    return old
                }
            }
        }
    }

    final class CipherContext: Sendable {
        let settings: CipherSettings
        let location: StorageLocation
        /// The keys to update when the key is changed; `nil` if the program sets the key of each connection.
        let changedKeys: ChangedKeys?

        init(settings: CipherSettings, location: StorageLocation, changedKeys: ChangedKeys?) {
            self.settings = settings
            self.location = location
            self.changedKeys = changedKeys
        }
    }

    enum KeySource: Sendable {
        case none
        case constant(CipherKey)
        case closure(@Sendable () throws -> CipherKey)

        func key() throws(StorageError) -> CipherKey? {
            switch self {
            case .none: return nil
            case .constant(let key): return key
            case .closure(let key):
                do {
                    return try key()
                } catch let error as StorageError {
                    throw error
                } catch {
                    throw StorageError(.cannotOpen, "the key of the database is not available: \(error)")
                }
            }
        }

        var isNone: Bool { if case .none = self { true } else { false } }
    }
#endif
