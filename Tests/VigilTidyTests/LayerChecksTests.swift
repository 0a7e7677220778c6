import XCTest

final class LayerChecksTests: XCTestCase {
    private let manifest = Manifest(
        SourceFile(
            path: "Package.swift",
            text: """
                func layer(_ name: String) -> Target { .target(name: name, dependencies: ["VigilQuery"]) }
                let package = Package(
                    name: "Vigil",
                    products: [.library(name: "Vigil", targets: ["Vigil"])],
                    targets: [
                        .target(name: "CVigilSQLite", linkerSettings: [.linkedLibrary("sqlite3")]),
                        layer("VigilRegions", ["VigilStorage"]),
                        layer(
                            "VigilSQLCipher",
                            ["VigilStorage", .target(name: "CVigilSQLCipherLibrary", condition: nil)]),
                        .executableTarget(
                            name: "vigil-tool", dependencies: ["Vigil"], path: "Sources/vigil-tool"),
                        .testTarget(name: "VigilRegionsTests", dependencies: ["VigilRegions"]),
                    ]
                )
                """))

    private func messages(_ path: String, _ text: String) -> [String] {
        importFindings(in: SourceFile(path: path, text: text), manifest: manifest).map(\.description)
    }

    func testTheManifestIsParsed() {
        XCTAssertEqual(
            manifest.targets,
            [
                .init(name: "CVigilSQLite", folder: "CVigilSQLite", layers: []),
                .init(name: "VigilRegions", folder: "VigilRegions", layers: ["VigilStorage"]),
                .init(
                    name: "VigilSQLCipher", folder: "VigilSQLCipher",
                    layers: ["VigilStorage", "CVigilSQLCipherLibrary"]),
                .init(name: "vigil-tool", folder: "vigil-tool", layers: ["Vigil"]),
                .init(name: "VigilRegionsTests", folder: "VigilRegionsTests", layers: ["VigilRegions"]),
            ])
    }

    /// SwiftPM does not compile a program again if a module changed that is only used by one of the product's targets.
    func testTheProductContainsTheModulesThatProgramsInline() throws {
        let source = try XCTUnwrap(Tree.current.manifest)
        let vigil = try XCTUnwrap(Manifest(source).target(inFolder: "Vigil"))
        let product = try XCTUnwrap(
            source.text.firstMatch(of: #/\.library\(\s*name: "Vigil",\s*targets: \[([^\]]*)\]/#))
        let targets = product.1.matches(of: #/"(\w+)"/#).map { String($0.1) }
        // A target that depends on a trait cannot be part of a product.
        let expected = vigil.layers.filter { $0 != "VigilPostgres" } + ["Vigil"]
        XCTAssertEqual(targets.sorted(), expected.sorted())
    }

    func testTheManifestOfThisPackageIsParsed() throws {
        let manifest = Manifest(try XCTUnwrap(Tree.current.manifest))
        XCTAssertEqual(manifest.target(inFolder: "VigilRegions")?.layers, ["VigilStorage"])
        XCTAssertEqual(manifest.target(inFolder: "vigil-tool")?.layers, ["Vigil"])
    }

    func testTheLayerTableContainsOnlyDownwardImports() {
        var lower: Set<String> = []
        for layer in layerTable {
            XCTAssertEqual(layer.layers.subtracting(lower), [], layer.folder)
            lower.insert(layer.folder)
        }
    }

    func testAllowedImportsAreNotReported() {
        XCTAssertEqual(messages("Sources/VigilRegions/a.swift", "public import VigilStorage\n"), [])
        XCTAssertEqual(messages("Sources/vigil-tool/a.swift", "import ArgumentParser\nimport Vigil"), [])
        XCTAssertEqual(messages("Tests/VigilRegionsTests/a.swift", "import VigilRegions\nimport XCTest"), [])
    }

    func testAnUpwardImportIsReported() {
        XCTAssertEqual(
            messages("Sources/VigilRegions/a.swift", "\nimport VigilEngine\n"),
            ["Sources/VigilRegions/a.swift:2: VigilRegions may not import VigilEngine"])
    }

    func testAnyImportOfFoundationInAPureLayerIsReported() {
        for line in [
            "import Foundation", "public import Foundation", "@preconcurrency import Foundation",
            "@_exported public import Foundation", "import struct Foundation.Date",
            "#if canImport(Foundation)\n    import Foundation\n#endif", "@_spi(A) import Foundation",
        ] {
            XCTAssertEqual(messages("Sources/VigilRegions/a.swift", line).count, 1, line)
        }
    }

    func testImportsInCommentsAreIgnored() {
        XCTAssertEqual(messages("Sources/VigilRegions/a.swift", "// import Foundation"), [])
    }

    func testAnUndeclaredDependencyIsReported() {
        XCTAssertEqual(
            messages("Sources/VigilSQLCipher/a.swift", "import VigilSQLite"),
            [
                "Sources/VigilSQLCipher/a.swift:1: imports VigilSQLite, which VigilSQLCipher does not name "
                    + "in Package.swift"
            ])
        XCTAssertEqual(messages("Tests/VigilRegionsTests/a.swift", "import VigilStorage").count, 1)
    }

    func testADependencyThatNoFileImportsIsReported() {
        let target = Manifest.Target(
            name: "Tests", folder: "Tests", layers: ["VigilStorage", "VigilRegions", "vigil-tool"])
        func messages(_ texts: String...) -> [String] {
            let files = texts.map { SourceFile(path: "Tests/Tests/a.swift", text: $0) }
            return unusedDependencyFindings(in: files, manifest: Manifest(targets: [target])).map(\.message)
        }
        XCTAssertEqual(messages("import VigilStorage", "import VigilRegions\nimport vigil_tool"), [])
        XCTAssertEqual(messages("#if A\n@testable import VigilRegions\n#endif", "import vigil_tool").count, 1)
        XCTAssertEqual(
            messages("import VigilStorage\nimport vigil_tool // import VigilRegions"),
            ["Tests depends on VigilRegions, which none of its files imports"])
        XCTAssertEqual(messages(), [], "a target without Swift files")
    }

    func testAnUnknownFolderIsReported() {
        XCTAssertEqual(messages("Sources/VigilExtras/a.swift", "").count, 1)
        XCTAssertEqual(messages("Sources/VigilEngine/a.swift", "").count, 1, "no target in the manifest")
    }

    func testAnUpwardDependencyIsReported() {
        let target = Manifest.Target(
            name: "VigilRegions", folder: "VigilRegions", layers: ["VigilStorage", "VigilEngine"])
        XCTAssertEqual(
            manifestFindings(Manifest(targets: [target])).map(\.message),
            ["VigilRegions depends on VigilEngine, which its layer may not import"])
    }
}
