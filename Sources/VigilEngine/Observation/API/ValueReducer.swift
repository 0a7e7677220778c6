import Synchronization
public import VigilLists
public import VigilRegions

/// Transforms fetched values into the values to deliver. Not for apps to implement.
public protocol _ValueReducer {
    /// The type of the values fetched from the database.
    associatedtype Fetched: Sendable
    /// The type of the delivered values.
    associatedtype Value: Sendable

    /// Fetches a value from the database.
    func _fetch(_ db: Database) throws -> Fetched

    /// Returns the value to deliver, or `nil` to deliver nothing.
    ///
    /// - Parameters:
    ///   - fetched: The fetched value.
    ///   - commit: The number of the last commit known to be in `fetched`.
    mutating func _value(_ fetched: Fetched, at commit: CommitNumber) throws -> Value?

    /// Whether ``_value(_:at:)`` is so cheap that it may run on any thread.
    static var _isTrivial: Bool { get }
}

/// Transforms fetched values into the values to deliver.
///
/// It hides the operators in the type of a property:
///
/// ```swift
/// var bestName: ValueObservation<some ValueReducer<String?>> {
///     bestPlayers.map { players in players.first?.name }.removeDuplicates()
/// }
/// ```
public protocol ValueReducer<Value>: _ValueReducer, Sendable {}

/// A namespace for the reducers of observations.
public enum ValueReducers {}

extension ValueReducers {
    /// Delivers fetched values without a transformation.
    public struct Fetch<Value: Sendable>: ValueReducer {
        let fetch: @Sendable (Database) throws -> Value

        /// Runs the fetch of the observation.
        public func _fetch(_ db: Database) throws -> Value { try fetch(db) }
        /// Returns the fetched value.
        public mutating func _value(_ fetched: Value, at commit: CommitNumber) -> Value? { fetched }
        /// Always `true`: there is nothing to compute.
        public static var _isTrivial: Bool { true }
    }

    /// Delivers the rows of a request, updated row by row. See `ValueObservation.trackingList(_:)`.
    public struct List<Element: Sendable>: ValueReducer {
        let request: ListRequest

        /// Fetches the changed rows, or all rows.
        public func _fetch(_ db: Database) throws -> ObservedList<Element> {
            // An observation of several lists has one memory, for one of them.
            let started = db.fetchContext?.fetch.list?.memory
            let memory = started?.elementType == Element.self ? started : nil
            return ObservedList(
                try ListFetcher.fetch(
                    request, into: memory ?? ListMemory(of: Element.self, ledger: nil), db))
        }

        /// Returns the list.
        public mutating func _value(
            _ fetched: ObservedList<Element>, at commit: CommitNumber
        ) -> ObservedList<Element>? { fetched }

        /// Always `true`: there is nothing to compute.
        public static var _isTrivial: Bool { true }
    }

    /// Transforms values with a closure. See ``ValueObservation/map(_:)``.
    public struct Map<Base: ValueReducer, Value: Sendable>: ValueReducer {
        var base: Base
        let transform: @Sendable (Base.Value) throws -> Value

        /// Runs the fetch of the observation.
        public func _fetch(_ db: Database) throws -> Base.Fetched { try base._fetch(db) }

        /// Returns the transformed value, or `nil` if `Base` delivers none.
        public mutating func _value(_ fetched: Base.Fetched, at commit: CommitNumber) throws -> Value? {
            try base._value(fetched, at: commit).map(transform)
        }

        /// Always `false`: the transformation may take time.
        public static var _isTrivial: Bool { false }
    }

    /// Skips values equal to the previous one. See ``ValueObservation/removeDuplicates(by:)``.
    public struct RemoveDuplicates<Base: ValueReducer>: ValueReducer {
        var base: Base
        let isDuplicate: @Sendable (Base.Value, Base.Value) -> Bool
        var previous: Base.Value?

        /// Runs the fetch of the observation.
        public func _fetch(_ db: Database) throws -> Base.Fetched { try base._fetch(db) }

        /// Returns the value, or `nil` if it equals the previous one.
        public mutating func _value(
            _ fetched: Base.Fetched, at commit: CommitNumber
        ) throws -> Base.Value? {
            guard let value = try base._value(fetched, at: commit) else { return nil }
            if let previous, isDuplicate(previous, value) { return nil }
            previous = value
            return value
        }

        /// Always `false`: the comparison may take time.
        public static var _isTrivial: Bool { false }
    }

    /// Passes each value to a closure, and delivers it unchanged. See ``ValueObservation/print(_:to:)``.
    public struct Trace<Base: ValueReducer>: ValueReducer {
        var base: Base
        let didReceiveValue: @Sendable (Base.Value) -> Void

        /// Runs the fetch of the observation.
        public func _fetch(_ db: Database) throws -> Base.Fetched { try base._fetch(db) }

        /// Passes the value to the closure, and returns it.
        public mutating func _value(
            _ fetched: Base.Fetched, at commit: CommitNumber
        ) throws -> Base.Value? {
            guard let value = try base._value(fetched, at: commit) else { return nil }
            didReceiveValue(value)
            return value
        }

        /// Always `false`: the closure may take time.
        public static var _isTrivial: Bool { false }
    }

    /// Pairs each value with a commit number. See ``ValueObservation/withCommitNumber()``.
    public struct WithCommitNumber<Base: ValueReducer>: ValueReducer {
        var base: Base

        /// Runs the fetch of the observation.
        public func _fetch(_ db: Database) throws -> Base.Fetched { try base._fetch(db) }

        /// Returns the value with its commit number, or `nil` if `Base` delivers none.
        public mutating func _value(
            _ fetched: Base.Fetched, at commit: CommitNumber
        ) throws -> Committed<Base.Value>? {
            try base._value(fetched, at: commit).map { Committed(value: $0, commit: commit) }
        }

        /// Whether `Base` is trivial.
        public static var _isTrivial: Bool { Base._isTrivial }
    }
}

extension ValueReducers {
    /// Skips rows identical to the previous ones, and decodes the others. See
    /// `ValueObservation.decodingDistinct(areIdentical:decode:)`.
    public struct DecodeDistinct<Base: ValueReducer, Value: Sendable>: ValueReducer {
        typealias Decoded = (raw: Base.Value, value: Value)

        var base: Base
        let areIdentical: @Sendable (Base.Value, Base.Value) -> Bool
        let decode: @Sendable (Base.Value, Decoded?) throws -> Value
        var previous: Decoded?

        /// Runs the fetch of the observation.
        public func _fetch(_ db: Database) throws -> Base.Fetched { try base._fetch(db) }

        /// Returns the decoded value, or `nil` if the rows are identical to the previous ones.
        public mutating func _value(_ fetched: Base.Fetched, at commit: CommitNumber) throws -> Value? {
            guard let raw = try base._value(fetched, at: commit) else { return nil }
            if let previous, areIdentical(previous.raw, raw) { return nil }
            let value = try decode(raw, previous)
            previous = (raw, value)
            return value
        }

        /// Always `false`: the comparison and the decoding may take time.
        public static var _isTrivial: Bool { false }
    }
}

extension ValueObservation {
    /// Returns an observation of decoded values. Fetched values identical to the previous ones are skipped.
    ///
    /// - Parameters:
    ///   - areIdentical: Returns whether two fetched values are identical.
    ///   - decode: Decodes a fetched value. It also receives the previous one with its decoded value, `nil`
    ///     for the first.
    package func decodingDistinct<Value: Sendable>(
        areIdentical: @escaping @Sendable (Reducer.Value, Reducer.Value) -> Bool,
        decode: @escaping @Sendable (Reducer.Value, (raw: Reducer.Value, value: Value)?) throws -> Value
    ) -> ValueObservation<ValueReducers.DecodeDistinct<Reducer, Value>> {
        derived(.init(base: reducer, areIdentical: areIdentical, decode: decode))
    }
}

/// A value, with the number of its commit. See ``ValueObservation/withCommitNumber()``.
public struct Committed<Value: Sendable>: Sendable {
    /// The fetched value.
    public let value: Value
    /// The number of the last commit known to be in the value. On a `DatabasePool`, the value may also
    /// contain later commits before the fetch. If one of them modified the region, another fetch with a
    /// higher number follows.
    public let commit: CommitNumber
}

extension Committed: Equatable where Value: Equatable {}
