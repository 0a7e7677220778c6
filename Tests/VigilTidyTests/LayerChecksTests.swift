import XCTest

final class LayerChecksTests: XCTestCase {
    private func messages(_ path: String, _ text: String) -> [String] {
        importFindings(in: SourceFile(path: path, text: text)).map(\.description)
    }

    /// SwiftPM does not compile a program again if a module changed that is only used by one of the product's
    /// targets.
    func testTheProductContainsTheModulesThatProgramsInline() throws {
        let manifest = try XCTUnwrap(Tree.current.files.first { $0.path == "Package.swift" })
        let vigil = try XCTUnwrap(layerTable.first { $0.folder == "Vigil" })
        let product = try XCTUnwrap(
            manifest.text.firstMatch(of: #/\.library\(\s*name: "Vigil",\s*targets: \[([^\]]*)\]/#))
        let targets = product.1.matches(of: #/"(\w+)"/#).map { String($0.1) }
        // A target that depends on a trait cannot be part of a product.
        let expected = vigil.layers.filter { $0 != "VigilPostgres" } + ["Vigil"]
        XCTAssertEqual(targets.sorted(), expected.sorted())
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
        XCTAssertEqual(messages("Tool/Sources/vigil-tool/a.swift", "import ArgumentParser\nimport Vigil"), [])
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

    func testAnUnknownFolderIsReported() {
        XCTAssertEqual(messages("Sources/VigilExtras/a.swift", "").count, 1)
    }
}
