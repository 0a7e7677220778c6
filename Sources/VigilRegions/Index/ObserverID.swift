/// The identity of an observer in a ``RegionIndex``. It is never used for another observer.
package struct ObserverID: Sendable, Hashable, Comparable {
    package let rawValue: Int

    package init(_ rawValue: Int) { self.rawValue = rawValue }

    package static func < (a: ObserverID, b: ObserverID) -> Bool { a.rawValue < b.rawValue }
}

extension ObserverID: CustomStringConvertible {
    package var description: String { "\(rawValue)" }
}
