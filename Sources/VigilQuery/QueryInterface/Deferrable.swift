package import VigilEngine

/// A part of a request: a value, or a closure called when the SQL is generated.
package enum Deferrable<Value: Sendable>: Sendable {
    case value(Value)
    case deferred(@Sendable (Database) throws -> Value)
    /// Computed when the SQL is generated, without the database.
    case computed(@Sendable () -> Value)

    /// The value, `nil` if it depends on the database.
    var independentValue: Value? {
        switch self {
        case .value(let value): value
        case .computed(let compute): compute()
        case .deferred: nil
        }
    }

    package func resolve(_ db: Database) throws -> Value {
        switch self {
        case .value(let value): value
        case .deferred(let compute): try compute(db)
        case .computed(let compute): compute()
        }
    }
}
