import XCTest

/// A stream that records lines, as `print` writes them.
final class Lines: TextOutputStream, Sendable {
    let recorder = Recorder<String>()

    var all: [String] { recorder.all }

    func write(_ string: String) { recorder.append(string) }

    /// Waits for as many lines as are expected, and compares them.
    func expect(_ expected: [String], file: StaticString = #filePath, line: UInt = #line) {
        XCTAssertEqual(recorder.wait(count: expected.count), expected, file: file, line: line)
    }
}
