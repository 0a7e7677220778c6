public import XCTest

extension XCTSkip {
    /// Skips a test that starts its own executable again, which XCTest on Apple platforms does not have.
    public static var needsSeparateExecutable: XCTSkip {
        XCTSkip("the tests are a separate executable only on Linux")
    }
}
