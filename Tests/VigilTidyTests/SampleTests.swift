import Foundation
import XCTest

final class SampleTests: XCTestCase {
    private func findings(_ files: [String: String]) -> [String] {
        let files = files.sorted { $0.key < $1.key }.map { SourceFile(path: $0.key, text: $0.value) }
        return sampleFindings(in: Tree(root: Tree.current.root, files: files)).map(\.description)
    }

    private let page = """
        Text.

        <!-- sample: Greeting -->
        ```swift
        print("Hello")
        ```

        It prints:

        ```
        Hello
        ```

        """

    func testASampleThatIsItsSnippetIsNotReported() {
        XCTAssertEqual(findings(["README.md": page, "Snippets/Greeting.swift": "print(\"Hello\")\n"]), [])
        XCTAssertEqual(
            findings([
                "README.md": page,
                "Snippets/Greeting.swift": "#if SQLCipher\n    print(\"Hello\")\n#endif\n",
            ]), [])
    }

    func testASampleThatDiffersFromItsSnippetIsReported() {
        let message = "README.md:4: the sample is not the program in Snippets/Greeting.swift"
        XCTAssertEqual(
            findings(["README.md": page, "Snippets/Greeting.swift": "print(\"Hello!\")\n"]), [message])
        XCTAssertEqual(findings(["README.md": page]), [message])
    }

    func testASampleWithoutOutputIsReported() {
        let page = "<!-- sample: A -->\n```swift\na()\n```\n```console\n$ a\n```\n"
        XCTAssertEqual(
            findings(["Documentation/A.md": page, "Snippets/A.swift": "a()\n"]),
            ["Documentation/A.md:2: no output follows the sample A"])
    }

    func testSwiftCodeWithoutAMarkIsReported() {
        XCTAssertEqual(findings(["README.md": "\n```swift\na()\n```\n"]).count, 1)
        XCTAssertEqual(findings(["README.md": "<!-- fragment -->\n```swift\na()\n```\n"]), [])
    }

    func testASnippetThatNoPageShowsIsReported() {
        XCTAssertEqual(
            findings(["Snippets/A.swift": "a()\n"]), ["Snippets/A.swift:1: no documentation page shows it"])
    }

    func testThePagesHaveSamples() {
        let names = Tree.current.samplePages.flatMap { samples(in: $0).samples.map(\.name) }
        XCTAssertTrue(names.contains("ObservingValues"), "\(names)")
    }
}

#if os(Linux) || os(macOS)
    /// Runs the samples, which `Scripts/test` builds with `--samples`.
    final class SampleRunTests: XCTestCase {
        func testSamplesPrintWhatThePagesShow() throws {
            let snippets = Dictionary(uniqueKeysWithValues: Tree.current.snippets.map { ($0.name, $0) })
            for sample in Tree.current.samplePages.flatMap({ samples(in: $0).samples }) {
                guard let snippet = snippets[sample.name], snippet.canRun else { continue }
                let run = try SampleRun(of: snippet.name)
                let place = "\(sample.page):\(sample.program.line): \(sample.name)"
                XCTAssertEqual(run.output, sample.output, "\(place)\n\(run.errors)")
                XCTAssertEqual(run.status, 0, "\(place)\n\(run.errors)")
            }
        }

        /// If runs had no output or always succeeded, the comparison of samples would check nothing.
        func testARunReportsOutputAndStatus() throws {
            let run = try SampleRun(
                executable: URL(fileURLWithPath: "/bin/sh"), ["-c", "echo $TMPDIR; exit 3"])
            XCTAssertEqual(run.status, 3)
            XCTAssertTrue(run.output.hasSuffix("/\n"), run.output)
        }
    }
#endif

extension Snippet {
    /// Whether the traits of this build include the one that the program requires, and its server is there.
    fileprivate var canRun: Bool {
        var traits: Set<String> = []
        #if SQLite
            traits.insert("SQLite")
        #endif
        #if SQLCipher
            traits.insert("SQLCipher")
        #endif
        #if PostgreSQL
            if ProcessInfo.processInfo.environment["VIGIL_POSTGRES"] != nil { traits.insert("PostgreSQL") }
        #endif
        return trait.map(traits.contains) ?? true
    }
}
