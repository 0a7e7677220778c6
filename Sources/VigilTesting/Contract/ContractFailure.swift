import VigilStorage

/// A promise of the contract that a backend does not keep.
public struct ContractFailure: Error, Sendable, CustomStringConvertible {
    /// What was looked at.
    public var message: String
    public var expected: String
    public var actual: String

    public var description: String { "\(message): expected \(expected), got \(actual)" }
}

/// Ends a check that asks for more than the backend claims to be able to do.
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

/// Compares bytes and bits: two texts that look alike may be different.
func expectIdentical(_ actual: StorageValue, _ expected: StorageValue, _ message: String) throws {
    let isIdentical =
        switch (actual, expected) {
        case (.text(let a), .text(let b)): a.utf8.elementsEqual(b.utf8)
        case (.real(let a), .real(let b)): a.bitPattern == b.bitPattern
        default: actual == expected
        }
    try expect(isIdentical, message, expected: "\(expected)", actual: "\(actual)")
}

/// - Parameter code: compared without extension.
@discardableResult
func expectError(
    _ code: StorageError.Code, _ message: String, _ body: () throws -> Void
) throws -> StorageError {
    do {
        try body()
    } catch let error as StorageError {
        if error.code.primary == code.primary { return error }
        throw ContractFailure(message: message, expected: "error \(code.rawValue)", actual: "\(error)")
    }
    throw ContractFailure(message: message, expected: "error \(code.rawValue)", actual: "no error")
}
