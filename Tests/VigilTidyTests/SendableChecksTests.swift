import XCTest

final class SendableChecksTests: XCTestCase {
    private func file(_ text: String) -> SourceFile {
        SourceFile(path: "Sources/VigilEngine/a.swift", text: text)
    }

    func testAGuardNamedOnTheLineAboveIsAccepted() {
        for text in [
            "// Guarded by queue.\nfinal class A: @unchecked Sendable {}",
            "/// A thing.\n///\n/// Guarded by `mutex`.\n@frozen\nstruct A: @unchecked Sendable {}",
            "    // Immutable after init.\n    nonisolated(unsafe) let a: B",
        ] {
            XCTAssertEqual(unnamedGuardFindings(file(text)), [], text)
        }
    }

    func testAMissingGuardIsReported() {
        for text in [
            "final class A: @unchecked Sendable {}",
            "// Guarded by queue.\n\nfinal class A: @unchecked Sendable {}",
            "// It is fine.\nfinal class A: @unchecked Sendable {}",
            "// Guarded by a.\nnonisolated(unsafe) let a: B\nnonisolated(unsafe) let b: B",
        ] {
            XCTAssertEqual(unnamedGuardFindings(file(text)).count, 1, text)
        }
    }

    func testTheCountMustMatchExactly() {
        let files = [
            file("a: @unchecked Sendable"), file("nonisolated(unsafe) var a // @unchecked Sendable"),
        ]
        XCTAssertEqual(uncheckedCountFindings(in: files, expected: ["VigilEngine": 2]), [])
        XCTAssertEqual(uncheckedCountFindings(in: files, expected: ["VigilEngine": 3]).count, 1)
        XCTAssertEqual(uncheckedCountFindings(in: files, expected: ["VigilEngine": 1]).count, 1)
        XCTAssertEqual(uncheckedCountFindings(in: files, expected: [:]).count, 1)
        XCTAssertEqual(uncheckedCountFindings(in: [], expected: ["VigilEngine": 1]).count, 1)
    }

    func testValuesInUncheckedTypesAreCounted() {
        let files = [
            file("let a = UncheckedSendable(b)"), file("let a = SendablePointer(b) // SendablePointer("),
        ]
        XCTAssertEqual(uncheckedBoxFindings(in: files, expected: ["VigilEngine": 2]), [])
        XCTAssertEqual(uncheckedBoxFindings(in: files, expected: ["VigilEngine": 1]).count, 1)
    }
}
