import XCTest

final class UncheckedAccessChecksTests: XCTestCase {
    private func file(_ text: String) -> SourceFile {
        SourceFile(path: "Sources/VigilEngine/a.swift", text: text)
    }

    func testABenchmarkOrAGuaranteeOnOrAboveTheLineIsAccepted() {
        for text in [
            "@exclusivity(unchecked)  // bench: unrelated-writes\nvar a = 1",
            "/// A thing.\n// bench: decode-records\n@exclusivity(unchecked) var a = 1",
            "// Safe: cleared by the owner.\nunowned(unsafe) var a: A?",
        ] {
            XCTAssertEqual(unexplainedAccessFindings(file(text)), [], text)
        }
    }

    func testAMissingReasonIsReported() {
        for text in [
            "@exclusivity(unchecked)\nvar a = 1",
            "@exclusivity(unchecked)  // faster\nvar a = 1",
            "@exclusivity(unchecked)  // bench:\nvar a = 1",
            "// Safe: cleared by the owner.\n\nunowned(unsafe) var a: A?",
            "@exclusivity(unchecked)  // bench: a\nvar a = 1\n@exclusivity(unchecked)\nvar b = 1",
        ] {
            XCTAssertEqual(unexplainedAccessFindings(file(text)).count, 1, text)
        }
    }

    func testCommentsAndOtherAttributesAreIgnored() {
        for text in ["// unowned(unsafe)", "unowned let a: A", "unowned(safe) let a: A"] {
            XCTAssertEqual(unexplainedAccessFindings(file(text)), [], text)
        }
    }

    func testTheCountMustMatchExactly() {
        let files = [file("unowned(unsafe) var a: A?\n@exclusivity(unchecked) var b = 1")]
        XCTAssertEqual(uncheckedAccessCountFindings(in: files, expected: ["VigilEngine": 2]), [])
        XCTAssertEqual(uncheckedAccessCountFindings(in: files, expected: ["VigilEngine": 3]).count, 1)
        XCTAssertEqual(uncheckedAccessCountFindings(in: files, expected: ["VigilEngine": 1]).count, 1)
        XCTAssertEqual(uncheckedAccessCountFindings(in: files, expected: [:]).count, 1)
    }
}
