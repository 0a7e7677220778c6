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
        a === b || AnyHashable(a.value) == AnyHashable(b.value)
    }

    func hash(into hasher: inout Hasher) { AnyHashable(value).hash(into: &hasher) }
}

/// The values fetched so far from one snapshot, for observers with equal fetch keys.
final class SharedFetches {
    /// A fetched value, and what it was read from.
    final class Fetch<Fetched: Sendable>: Sendable {
        let value: Fetched
        let reads: FetchReads
        let isSlow: Bool

        init(_ value: Fetched, _ reads: FetchReads, isSlow: Bool) {
            self.value = value
            self.reads = reads
            self.isSlow = isSlow
        }
    }

    private var fetches: [FetchKey: AnyObject] = [:]
    /// The entry that was used last: equal observers tend to fetch one after another.
    private var last: (key: FetchKey, fetch: AnyObject)?
    /// The deliveries of the values.
    let deliveries = DeliveryBatch()

    func fetched<Fetched: Sendable>(_ key: FetchKey, as type: Fetched.Type) -> Fetch<Fetched>? {
        if let last, last.key == key { return last.fetch as? Fetch<Fetched> }
        guard let fetch = fetches[key] else { return nil }
        last = (key, fetch)
        return fetch as? Fetch<Fetched>
    }

    /// Stores a fetched value and what it was read from, for later observers with an equal key.
    func store<Fetched: Sendable>(
        _ fetched: Fetched, _ reads: FetchReads, isSlow: Bool, for key: FetchKey
    ) {
        let fetch = Fetch(fetched, reads, isSlow: isSlow)
        fetches[key] = fetch
        last = (key, fetch)
    }
}
