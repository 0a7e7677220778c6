import Foundation
import XCTest

/// The code that the macros write.
final class RecordExpansionTests: XCTestCase {
    /// The benchmarks measure a copy of the code, because they do not depend on swift-syntax.
    func testTheBenchmarksMeasureTheCodeOfTheMacros() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
        let file = root.appending(path: "Benchmarks/Sources/VigilWorkload/Scenarios/MacroRecord.swift")
        let measured = try String(contentsOf: file, encoding: .utf8).split(separator: "#else").last ?? ""
        let properties = "var name: String; var score: Double; var team: Int64; var note: String?"
        let expanded = """
            \(Expansion(#"@Record("record") struct MacroRecord { var id: Int64?; \#(properties) }"#).added)
            \(Expansion("@FetchedRecord struct FetchedMacroRecord { var id: Int64; \(properties) }").added)
            #endif
            """
        let code = expanded.split(separator: "\n").filter { !$0.contains("#sourceLocation") }
        let text = measured.filter { !$0.isWhitespace }.replacingOccurrences(of: ",]", with: "]")
        XCTAssertEqual(text, code.joined().filter { !$0.isWhitespace })
    }

    func testEachColumnIsReadAtTheLineOfItsProperty() {
        let expansion = Expansion("@Record\nstruct A {\n  var id: Int64\n  var b: Int?\n}")
        XCTAssertEqual(
            expansion.lines(of: "init(row:"),
            [
                #"let cells = row._recordCells(of: Self.self, ["id", "b"])"#,
                #"#sourceLocation(file: "Test.swift", line: 3)"#,
                #"self.id = try row._recordValue("id", cells, at: 0)"#,
                #"#sourceLocation(file: "Test.swift", line: 4)"#,
                #"self.b = try row._recordValue("b", cells, at: 1)"#, "#sourceLocation()",
            ])
    }

    func testTheKeyDecidesWhatIsSavedAndIdentified() {
        let cases: [(declaration: String, conformances: String, member: String)] = [
            ("var id: Int64?", "MutablePersistableRecord, Identifiable", "self.id = inserted.rowID"),
            ("var id: Int?", "MutablePersistableRecord, Identifiable", "self.id = Swift.Int(inserted.rowID)"),
            ("var id: Optional<Int64>", "MutablePersistableRecord, Identifiable", "self.id = inserted.rowID"),
            ("let id: Int64?", "MutablePersistableRecord, PersistableRecord, Identifiable", ""),
            ("var id: Int64", "MutablePersistableRecord, PersistableRecord, Identifiable", ""),
            ("var id: String?", "MutablePersistableRecord, Identifiable", ""),
            (
                "var id: Int64?; func didInsert(_ inserted: InsertionSuccess) {}",
                "MutablePersistableRecord, Identifiable", ""
            ),
            (
                "var id: Int; mutating func willInsert(_ db: Database) throws {}",
                "MutablePersistableRecord, Identifiable", ""
            ),
            (
                "@RecordColumn(.primaryKey) var code: String",
                "MutablePersistableRecord, PersistableRecord, Identifiable",
                "var id: String { self.code }"
            ),
            (
                "@RecordColumn(.primaryKey) var number: Int64?", "MutablePersistableRecord, Identifiable",
                "self.number = inserted.rowID"
            ),
            // `id` is something else.
            (
                "@RecordColumn(.primaryKey) var code: String; var id: Int",
                "MutablePersistableRecord, PersistableRecord", ""
            ),
        ]
        for (declaration, conformances, member) in cases {
            let expansion = Expansion("@Record struct A { \(declaration) }")
            XCTAssertEqual(
                expansion.conformances, "FetchableRecord, TableRecord, \(conformances)", declaration)
            if member.isEmpty {
                XCTAssertFalse(expansion.added.contains("didInsert"), declaration)
                XCTAssertFalse(expansion.oneLine.contains("var id: String {"), declaration)
            } else {
                XCTAssertTrue(expansion.oneLine.contains(member), expansion.oneLine)
            }
            XCTAssertEqual(expansion.problems, [])
        }
    }

    func testSeveralPropertiesOfTheKeyAreOneIdentity() {
        let expansion = Expansion(
            "@Record public struct A { @RecordColumn(.primaryKey) var a: Int; @RecordColumn(.primaryKey) var b: String }"
        )
        XCTAssertTrue(
            expansion.oneLine.contains(
                "public nonisolated struct ID: Swift.Hashable, Swift.Sendable { public let a: Int public let b: String public init(a: Int, b: String) { self.a = a self.b = b } }"
            ),
            expansion.oneLine)
        XCTAssertTrue(
            expansion.oneLine.contains("public nonisolated var id: ID { ID(a: self.a, b: self.b) }"),
            expansion.oneLine)
        // The extension does not see the names around a nested type.
        XCTAssertFalse(expansion.added.contains("ID"), expansion.added)
    }

    func testMembersThatTheStructDeclaresAreLeftOut() {
        let members = [
            "enum Columns {}": "enum Columns", "static let databaseTableName = \"x\"": "databaseTableName",
            "static var databaseSelection: [any SQLSelectable] { [] }": "var databaseSelection",
            "init(row: Row) throws { id = 1 }": "init(row:",
            "func encode(to container: inout PersistenceContainer) {}": "func encode(to",
        ]
        for (declaration, member) in members {
            XCTAssertTrue(Expansion("@Record struct A { var id: Int }").added.contains(member))
            let expansion = Expansion("@Record struct A { var id: Int; \(declaration) }")
            XCTAssertFalse(expansion.added.contains(member), expansion.added)
        }
        // Functions with the same labels and other types are something else.
        for declaration in [
            "func encode(to encoder: any Encoder) throws {}", "init(row: String) { id = 1 }",
            "static func encode(to container: inout PersistenceContainer) {}",
        ] {
            let expansion = Expansion("@Record struct A { var id: Int; \(declaration) }")
            XCTAssertTrue(expansion.added.contains("func encode(to"), declaration)
            XCTAssertTrue(expansion.added.contains("init(row:"), declaration)
        }
        let copied = Expansion(
            "@Record struct A: Vigil.PersistableRecord { var id: Int64? }", conformingTo: "Identifiable")
        XCTAssertFalse(copied.added.contains("didInsert"))
        let some = Expansion(
            "@Record struct A: PersistableRecord { var id: Int }", conformingTo: "Identifiable")
        XCTAssertEqual(some.conformances, "Identifiable")
    }

    func testNamesAndRoles() {
        let names = [
            ("@Record struct HTTPRequest { var id: Int }", "\"httpRequest\""),
            ("@Record struct TOEFL { var id: Int }", "\"toefl\""),
            (#"@Record("a \"b\"") struct A { var id: Int }"#, ##"#"a "b""#"##),
            ("@Record(.snakeCase) struct A { var id: Int; var teamID: Int }", "Vigil.Column(\"team_id\")"),
            (
                "@Record(.snakeCase) struct A { var id: Int; var imageURLPath: String }",
                "(\"image_url_path\")"
            ),
            ("@Record struct A { var id: Int; var `class`: Int }", "static var `class`: Vigil.Column"),
            ("@Record struct A { var id: Int; var `class`: Int }", "Vigil.Column(\"class\")"),
            ("@Record struct A { var id, other: Int }", "_recordValue(\"other\", cells, at: 1)"),
            (
                "@Record struct A { var id = 1, b = 2.0, c = \"\", d = true }",
                "_recordValue(\"d\", cells, at: 3)"
            ),
            ("@Record struct A { var id: Int { didSet {} } }", "_recordValue(\"id\", cells, at: 0)"),
            (
                "@Record struct A { var id: Int; @RecordColumn(.json) var b: [Int] }",
                "Vigil.JSONColumn(\"b\")"
            ),
            ("@Record package struct A { var id: Int }", "package init(row: Vigil.Row)"),
            ("public extension B { @Record struct A { var id: Int } }", "public init(row: Vigil.Row)"),
            ("public extension B { @Record internal struct A { var id: Int } }", " init(row: Vigil.Row)"),
            (
                "@available(macOS 16, *) @Record struct A { var id: Int }",
                "@available(macOS 16, *) nonisolated"
            ),
            (
                "@available(macOS 16, *) enum B { @Record struct A { var id: Int } }",
                "@available(macOS 16, *) nonisolated"
            ),
            ("@Record(.keyless) struct A { var b: Int }", "Vigil.PersistableRecord {"),
            ("@Record(.readOnly) struct A { var id: Int }", "Vigil.TableRecord, Swift.Identifiable {"),
        ]
        for (source, code) in names {
            let expansion = Expansion(source)
            XCTAssertTrue(expansion.added.contains(code), "\(source): \(expansion.added)")
            XCTAssertEqual(expansion.problems, [])
        }
        let left = [
            ("var other: Int { 1 }", "other"), ("static var other = 1", "other"),
            ("lazy var other = 1", "other"),
            ("@RecordIgnored var other = 1", "other"), ("@RecordIgnored var other: Int?", "other"),
            ("@RecordColumn(.generated) var other: Int", "_setRecordValue(\"other\""),
            ("@RecordNested var other: B", "\"other\""),
        ]
        for (declaration, code) in left {
            let expansion = Expansion("@Record struct A { var id: Int; \(declaration) }")
            XCTAssertFalse(expansion.added.contains(code), expansion.added)
            XCTAssertEqual(expansion.problems, [])
        }
        XCTAssertFalse(Expansion("@Record(.readOnly) struct A { var id: Int }").added.contains("encode"))
    }
}
