/// What turns fetched values into those that an observation delivers. Not for apps to implement.
public protocol _ValueReducer {
    associatedtype Fetched: Sendable
    associatedtype Value: Sendable

    /// Reads from the database.
    func _fetch(_ db: Database) throws -> Fetched

    /// The value to deliver; `nil` if there is none.
    mutating func _value(_ fetched: Fetched) throws -> Value?

    /// Whether ``_value(_:)`` costs nothing, so that it may run anywhere.
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
        public mutating func _value(_ fetched: Value) -> Value? { fetched }
        public static var _isTrivial: Bool { true }
    }

    /// Transforms values.
    public struct Map<Base: ValueReducer, Value: Sendable>: ValueReducer {
        var base: Base
        let transform: @Sendable (Base.Value) throws -> Value

        public func _fetch(_ db: Database) throws -> Base.Fetched { try base._fetch(db) }

        public mutating func _value(_ fetched: Base.Fetched) throws -> Value? {
            try base._value(fetched).map(transform)
        }

        public static var _isTrivial: Bool { false }
    }

    /// Leaves out values that are equal to the one before.
    public struct RemoveDuplicates<Base: ValueReducer>: ValueReducer {
        var base: Base
        let isDuplicate: @Sendable (Base.Value, Base.Value) -> Bool
        var previous: Base.Value?

        public func _fetch(_ db: Database) throws -> Base.Fetched { try base._fetch(db) }

        public mutating func _value(_ fetched: Base.Fetched) throws -> Base.Value? {
            guard let value = try base._value(fetched) else { return nil }
            if let previous, isDuplicate(previous, value) { return nil }
            previous = value
            return value
        }

        public static var _isTrivial: Bool { false }
    }
}
