import XCTest

final class HouseChecksTests: XCTestCase {
    private func source(_ text: String, at path: String = "Sources/VigilStorage/A/a.swift") -> SourceFile {
        SourceFile(path: path, text: text)
    }

    func testUnlabelledParametersAreCounted() {
        let file = source(
            """
            func a(_ a: Int, _ b: [Int: Int], c: (Int, Int) -> Int, _ d: Set<Int>) {}
            init(a: Int, _ b: Int, _ c: Int) { self.init(1, 2, 3) }
            subscript(a: Int, b: Int, c c: Int) -> Int { 1 }
            """)
        XCTAssertEqual(
            parameterLists(in: file),
            [
                ParameterList(name: "a", line: 1, unlabelledCount: 3),
                ParameterList(name: "init", line: 2, unlabelledCount: 2),
                ParameterList(name: "subscript", line: 3, unlabelledCount: 2),
            ])
        XCTAssertEqual(unlabelledParameterFindings(in: [file], limit: 334), [])
        XCTAssertEqual(
            unlabelledParameterFindings(in: [file], limit: 333).map(\.message),
            ["a has 3 unlabelled parameters"])
    }

    func testOnlyStoredVariablesCount() {
        let computed =
            "var b: Int { 1 }\nvar c: Int {\n get { 1 }\n}\nlet d = 1\nstatic var e = 1\nfunc f() {\nvar g = 1\n}\n"
        let stored = "    private(set) var a = 1\n"
        func file(_ count: Int) -> SourceFile {
            source("final class A: B {\n" + computed + String(repeating: stored, count: count) + "}\n")
        }
        XCTAssertEqual(storedVariableFindings(file(Limit.storedVariables)), [])
        XCTAssertEqual(
            storedVariableFindings(file(Limit.storedVariables + 1)).map(\.message),
            ["A has 21 stored variables, more than 20"])
    }

    func testVariablesWithObserversAreStored() {
        let stored = String(repeating: "var a = 1 {\n didSet { b() }\n}\n", count: Limit.storedVariables + 1)
        XCTAssertEqual(storedVariableFindings(source("struct A {\n\(stored)}\n")).count, 1)
    }

    func testAFolderWithASingleFileIsReported() {
        let long = String(repeating: "\n", count: Limit.linesOfAShortFile)
        let lone = source(long)
        XCTAssertEqual(folderFindings(in: [lone]).map(\.message), ["the only file of its folder"])
        XCTAssertEqual(folderFindings(in: [lone, source(long, at: "Sources/VigilStorage/A/b.swift")]), [])
    }

    func testAFewShortFilesAreAccepted() {
        let files = (0...Limit.shortFiles).map { source("\n", at: "Sources/VigilStorage/A/\($0).swift") }
        XCTAssertEqual(folderFindings(in: Array(files.dropLast())), [])
        XCTAssertEqual(folderFindings(in: files).count, files.count)
    }

    func testALongPageIsReported() {
        let limit = Limit.linesOfPages["README.md"] ?? 0
        let page = String(repeating: "\n", count: limit)
        XCTAssertEqual(pageLengthFindings(source(page, at: "README.md")), [])
        XCTAssertEqual(pageLengthFindings(source(page + "\n", at: "README.md")).count, 1)
    }

    func testPublicProtocolsOfTheStorageLayerAreCounted() {
        let protocols = String(repeating: "public protocol A {}\n", count: Limit.publicBackendProtocols)
        XCTAssertEqual(backendProtocolFindings(in: [source(protocols + "package protocol B {}\n")]), [])
        XCTAssertEqual(backendProtocolFindings(in: [source(protocols + "public protocol B {}\n")]).count, 1)
    }

    func testUncheckedDeclarationsStayBelowTheirLimit() {
        XCTAssertLessThanOrEqual(uncheckedCounts.values.reduce(0, +), Limit.uncheckedDeclarations)
    }
}
