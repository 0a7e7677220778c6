/// A failed expectation of a test about observations. Thrown errors fail a test of XCTest and of Swift
/// Testing.
public struct RecordingError: Error, CustomStringConvertible {
    /// The description of the failure.
    public let description: String

    init(_ description: String) { self.description = description }
}
