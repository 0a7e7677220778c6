import VigilRegions

/// What two observations have in common that fetch the same: what one of them fetched is good for the other.
package struct FetchKey: Hashable, Sendable {
    private enum Identity: Hashable, Sendable {
        case description(DescriptionIdentity)
        case request(AnyRequestIdentity)
    }

    private let identity: Identity

    /// For all starts of one description of an observation.
    static func oneDescription() -> FetchKey {
        FetchKey(identity: .description(DescriptionIdentity()))
    }

    /// For all observations of equal requests.
    static func request(_ identity: some Hashable & Sendable) -> FetchKey {
        FetchKey(identity: .request(AnyRequestIdentity(identity)))
    }

    /// Equal to itself only.
    private final class DescriptionIdentity: Hashable, Sendable {
        static func == (a: DescriptionIdentity, b: DescriptionIdentity) -> Bool { a === b }
        func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
    }
}

/// Any hashable value that can be sent; `AnyHashable` cannot.
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

/// What was fetched from one snapshot so far, for those who would fetch the same.
final class SharedFetches {
    private struct Fetch {
        let fetched: any Sendable
        let region: DatabaseRegion
    }

    private var fetches: [FetchKey: Fetch] = [:]

    func fetched<Fetched: Sendable>(_ key: FetchKey, as type: Fetched.Type) -> (Fetched, DatabaseRegion)? {
        guard let fetch = fetches[key], let fetched = fetch.fetched as? Fetched else { return nil }
        return (fetched, fetch.region)
    }

    func store<Fetched: Sendable>(_ fetched: Fetched, _ region: DatabaseRegion, for key: FetchKey) {
        fetches[key] = Fetch(fetched: fetched, region: region)
    }
}

extension Database {
    /// Runs `body`, which reads for a number of observers from one snapshot: those that fetch the same share it.
    func sharingFetches<T>(among count: Int, _ body: () throws -> T) rethrows -> T {
        guard count > 1, sharedFetches == nil else { return try body() }
        sharedFetches = SharedFetches()
        defer { sharedFetches = nil }
        return try body()
    }
}
