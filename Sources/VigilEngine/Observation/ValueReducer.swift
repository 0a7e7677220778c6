import Synchronization
public import VigilRegions

/// What turns fetched values into those that an observation delivers. Not for apps to implement.
public protocol _ValueReducer {
    associatedtype Fetched: Sendable
    associatedtype Value: Sendable

    /// Reads from the database.
    func _fetch(_ db: Database) throws -> Fetched

    /// The value to deliver; `nil` if there is none.
    ///
    /// - Parameter commit: what was fetched has all commits up to this one.
    mutating func _value(_ fetched: Fetched, at commit: CommitNumber) throws -> Value?

    /// Whether ``_value(_:at:)`` costs nothing, so that it may run anywhere.
    static var _isTrivial: Bool { get }
}

/// What turns fetched values into those that an observation delivers.
public protocol ValueReducer: _ValueReducer, Sendable {}

/// The reducers that observations are made of.
public enum ValueReducers {}

extension ValueReducers {
    /// Delivers what it fetches.
    public struct Fetch<Value: Sendable>: ValueReducer {
        let fetch: @Sendable (Database) throws -> Value

        public func _fetch(_ db: Database) throws -> Value { try fetch(db) }
        public mutating func _value(_ fetched: Value, at commit: CommitNumber) -> Value? { fetched }
        public static var _isTrivial: Bool { true }
    }

    /// Transforms values.
    public struct Map<Base: ValueReducer, Value: Sendable>: ValueReducer {
        var base: Base
        let transform: @Sendable (Base.Value) throws -> Value

        public func _fetch(_ db: Database) throws -> Base.Fetched { try base._fetch(db) }

        public mutating func _value(_ fetched: Base.Fetched, at commit: CommitNumber) throws -> Value? {
            try base._value(fetched, at: commit).map(transform)
        }

        public static var _isTrivial: Bool { false }
    }

    /// Leaves out values that are equal to the one before.
    public struct RemoveDuplicates<Base: ValueReducer>: ValueReducer {
        var base: Base
        let isDuplicate: DuplicatePredicate<Base.Value>
        var previous: Base.Value?

        public func _fetch(_ db: Database) throws -> Base.Fetched { try base._fetch(db) }

        public mutating func _value(
            _ fetched: Base.Fetched, at commit: CommitNumber
        ) throws -> Base.Value? {
            guard let value = try base._value(fetched, at: commit) else { return nil }
            if let previous, isDuplicate(previous, value) { return nil }
            previous = value
            return value
        }

        public static var _isTrivial: Bool { false }
    }

    /// Shows values as they pass.
    public struct Trace<Base: ValueReducer>: ValueReducer {
        var base: Base
        let didReceiveValue: @Sendable (Base.Value) -> Void

        public func _fetch(_ db: Database) throws -> Base.Fetched { try base._fetch(db) }

        public mutating func _value(
            _ fetched: Base.Fetched, at commit: CommitNumber
        ) throws -> Base.Value? {
            guard let value = try base._value(fetched, at: commit) else { return nil }
            didReceiveValue(value)
            return value
        }

        public static var _isTrivial: Bool { false }
    }

    /// Adds to each value the commit as of which it was read.
    public struct WithCommitNumber<Base: ValueReducer>: ValueReducer {
        var base: Base

        public func _fetch(_ db: Database) throws -> Base.Fetched { try base._fetch(db) }

        public mutating func _value(
            _ fetched: Base.Fetched, at commit: CommitNumber
        ) throws -> Committed<Base.Value>? {
            try base._value(fetched, at: commit).map { Committed(value: $0, commit: commit) }
        }

        public static var _isTrivial: Bool { Base._isTrivial }
    }
}

/// A value, and the commit as of which it was read.
public struct Committed<Value: Sendable>: Sendable {
    public let value: Value
    /// The value has all commits up to this one. On a `DatabasePool` it may have later ones, that happened before it
    /// was read: the next value tells.
    public let commit: CommitNumber
}

extension Committed: Equatable where Value: Equatable {}

/// Compares values, one pair at a time: nothing is known of whether it can be called from several threads.
final class DuplicatePredicate<Value: Sendable>: Sendable {
    private let areEqual: Mutex<(Value, Value) -> Bool>

    init(_ areEqual: sending @escaping (Value, Value) -> Bool) {
        self.areEqual = Mutex(areEqual)
    }

    func callAsFunction(_ one: Value, _ two: Value) -> Bool {
        areEqual.withLock { $0(one, two) }
    }
}
