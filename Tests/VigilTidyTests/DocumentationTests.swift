import XCTest

final class DocumentationTests: XCTestCase {
    private func messages(article: String, code: String = "", snippet: String = "") -> [String] {
        let tree = Tree(
            root: Tree.current.root,
            files: [
                SourceFile(path: "Sources/A/A.docc/A.md", text: article),
                SourceFile(path: "Sources/A/a.swift", text: code),
                SourceFile(path: "Sources/B/b.swift", text: "struct Other { func read(_ a: Int) {} }"),
                SourceFile(path: "Snippets/s.swift", text: snippet),
            ])
        return documentationFindings(in: tree).map(\.message)
    }

    func testArticlesAgreeWithTheSources() {
        for finding in Rule.documentation.findingsInPackage { XCTFail(finding.description) }
    }

    func testPublicTypesThatNoTopicGroupListsAreReported() {
        let code = """
            public struct One {
                public struct Inner {}
            }
            #if SQLite
                public final class Two {}
            #endif
            public struct _Three {}
            struct Four {}
            """
        XCTAssertEqual(
            messages(article: "``Two``\n## Topics\n- ``One``", code: code),
            ["Two is in no topic group of A.docc"])
        XCTAssertEqual(
            messages(
                article: "## Topics\n- ``One``\n- ``Two``\n- ``three(_:)``",
                code: code + "\npublic func three(_ a: Int) {}"),
            [])
        XCTAssertEqual(
            messages(article: "## Topics\n- ``Onerous``", code: "public struct One {}; struct Onerous {}"),
            ["One is in no topic group of A.docc"])
    }

    func testLinksThatDoNotResolveAreReported() {
        XCTAssertEqual(
            messages(
                article: "<doc:A> <doc:Missing> ``f(_:)`` ``g`` ``/B/Other/read(_:)`` ``/B/Other/write``",
                code: "func f(_ a: Int) {}"),
            ["Missing does not exist", "g does not exist", "/B/Other/write does not exist"])
    }

    func testSamplesThatAreInNoSnippetAreReported() {
        let snippet = """
            // snippet.hide
            let hidden = 1
            // snippet.show
            if true {

                let a = 1
                // snippet.hide
                let hidden = 1
                // snippet.show
                let b = 2
            }
            """
        XCTAssertEqual(
            messages(article: "```swift\nlet a = 1\n\nlet b = 2\n```\n```\nc\n```", snippet: snippet), [])
        for sample in ["let hidden = 1", "let b = 2\nlet a = 1", "let a = 12"] {
            XCTAssertEqual(messages(article: "```swift\n\(sample)\n```", snippet: snippet).count, 1, sample)
        }
    }
}
