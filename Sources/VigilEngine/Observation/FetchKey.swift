import VigilRegions

/// Identifies what an observation fetches: observations with equal keys can share one fetch.
package struct FetchKey: Hashable, Sendable {
    private enum Identity: Hashable, Sendable {
        case description(DescriptionIdentity)
        case request(AnyRequestIdentity)
    }

    private let identity: Identity

    /// Returns a key for all starts of one observation description.
    static func oneDescription() -> FetchKey {
        FetchKey(identity: .description(DescriptionIdentity()))
    }

    /// Returns a key for all observations of equal requests.
    static func request(_ identity: some Hashable & Sendable) -> FetchKey {
        FetchKey(identity: .request(AnyRequestIdentity(identity)))
    }

    /// An identity that is equal only to itself.
    private final class DescriptionIdentity: Hashable, Sendable {
        static func == (a: DescriptionIdentity, b: DescriptionIdentity) -> Bool { a === b }
        func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
    }
}

/// A type-erased hashable value. Unlike `AnyHashable`, it is `Sendable`.
private final class AnyRequestIdentity: Hashable, Sendable {
    private let value: any Hashable & Sendable

    init(_ value: some Hashable & Sendable) {
        self.value = value
    }

    static func == (a: AnyRequestIdentity, b: AnyRequestIdentity) -> Bool {
        AnyHashable(a.value) == AnyHashable(b.value)
    }

    func hash(into hasher: inout Hasher) { AnyHashable(value).hash(into: &hasher) }
}

/// The values fetched so far from one snapshot, for observers with equal fetch keys.
final class SharedFetches {
    private struct Fetch {
        let fetched: any Sendable
        let region: DatabaseRegion
    }

    private var fetches: [FetchKey: Fetch] = [:]

    /// Returns the value and the region that were stored for `key`, if there are any.
    func fetched<Fetched: Sendable>(_ key: FetchKey, as type: Fetched.Type) -> (Fetched, DatabaseRegion)? {
        guard let fetch = fetches[key], let fetched = fetch.fetched as? Fetched else { return nil }
        return (fetched, fetch.region)
    }

    /// Stores a fetched value and the region that was read, for later observers with an equal key.
    func store<Fetched: Sendable>(_ fetched: Fetched, _ region: DatabaseRegion, for key: FetchKey) {
        fetches[key] = Fetch(fetched: fetched, region: region)
    }
}

extension Database {
    /// Runs `body`, which fetches for `count` observers from one snapshot. Observers with equal fetch keys
    /// share a fetch.
    func sharingFetches<T>(among count: Int, _ body: () throws -> T) rethrows -> T {
        guard count > 1, sharedFetches == nil else { return try body() }
        sharedFetches = SharedFetches()
        defer { sharedFetches = nil }
        return try body()
    }
}
