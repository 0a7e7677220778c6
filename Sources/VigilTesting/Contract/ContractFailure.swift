import VigilStorage

/// The error of ``BackendContract/run(_:)`` for a broken promise.
public struct ContractFailure: Error, Sendable, CustomStringConvertible {
    /// A name for the compared value, such as `the rows after the commit`.
    public var message: String
    /// The expected value.
    public var expected: String
    /// The actual value.
    public var actual: String

    /// The message, with the expected and the actual value.
    public var description: String { "\(message): expected \(expected), got \(actual)" }
}

/// Thrown to end a check of an undeclared capability.
struct NotApplicable: Error {
    let reason: String
}

func expect(
    _ condition: Bool, _ message: String, expected: @autoclosure () -> String,
    actual: @autoclosure () -> String
) throws {
    if !condition { throw ContractFailure(message: message, expected: expected(), actual: actual()) }
}

func expectEqual<Value: Equatable>(_ actual: Value, _ expected: Value, _ message: String) throws {
    try expect(actual == expected, message, expected: "\(expected)", actual: "\(actual)")
}

func expectTrue(_ condition: Bool, _ message: String) throws {
    try expectEqual(condition, true, message)
}

func expectValue<Value>(_ value: Value?, _ message: String) throws -> Value {
    guard let value else { throw ContractFailure(message: message, expected: "a value", actual: "nil") }
    return value
}

/// Compares bytes and bits, because `==` considers some strings with different bytes equal.
func expectIdentical(_ actual: StorageValue, _ expected: StorageValue, _ message: String) throws {
    let isIdentical =
        switch (actual, expected) {
        case (.text(let a), .text(let b)): a.utf8.elementsEqual(b.utf8)
        case (.real(let a), .real(let b)): a.bitPattern == b.bitPattern
        default: actual == expected
        }
    try expect(isIdentical, message, expected: "\(expected)", actual: "\(actual)")
}

/// Fails unless `body` throws an error with this primary code. Extended codes are ignored.
@discardableResult
func expectError(
    _ code: StorageError.Code, _ message: String, body: () throws -> Void
) throws -> StorageError {
    do {
        try body()
    } catch let error as StorageError {
        if error.code.primary == code.primary { return error }
        throw ContractFailure(message: message, expected: "error \(code.rawValue)", actual: "\(error)")
    }
    throw ContractFailure(message: message, expected: "error \(code.rawValue)", actual: "no error")
}
