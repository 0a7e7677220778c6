import Foundation
import XCTest

/// The errors in declarations of records, at the line and column of what is wrong.
final class RecordProblemTests: XCTestCase {
    private func check(_ source: String, _ problems: String..., line: UInt = #line) {
        let expansion = Expansion(source)
        XCTAssertEqual(expansion.problems, problems, line: line)
    }

    func testOnlyStructsAreRecords() {
        check("@Record class A { var id = 1 }", "1:1 @Record requires a struct")
        check("@FetchedRecord enum A {}", "1:1 @FetchedRecord requires a struct")
    }

    func testPropertiesNeedATypeThatAColumnCanHave() {
        check(
            "@Record struct A { var id: Int\nvar b = Date() }", "2:5 the column 'b' needs a type annotation")
        check(
            "@Record struct A { var id: Int\nvar b: (Int, Int) }",
            "2:8 (Int, Int) is not stored in a column: mark it with @RecordIgnored")
        check(
            "@Record struct A { var id: Int\nvar b: (() -> Void)? }",
            "2:8 (() -> Void)? is not stored in a column: mark it with @RecordIgnored")
        check(
            "@Record struct A { var id: Int\nvar b: any Equatable }",
            "2:8 any Equatable is not stored in a column: mark it with @RecordIgnored")
        for type in ["[Int]", "[Int]?", "[String: Int]", "Set<Int>", "Array<Int>"] {
            check(
                "@Record struct A { var id: Int\nvar b: \(type) }",
                "2:8 \(type) is stored as JSON: mark it with @RecordColumn(.json)")
            check("@Record struct A { var id: Int\n@RecordColumn(.json) var b: \(type) }")
        }
    }

    func testACollectionIsFixedByAnAttribute() {
        let fixed = Expansion(
            "@Record struct A {\n    var id: Int\n    // The tags.\n    var tags: [String]\n}"
        ).fixed
        XCTAssertEqual(
            fixed,
            "@Record struct A {\n    var id: Int\n    // The tags.\n    @RecordColumn(.json) var tags: [String]\n}"
        )
        for (attribute, fixed) in [
            ("@RecordColumn(\"labels\")", "@RecordColumn(\"labels\", .json)"),
            ("@RecordColumn", "@RecordColumn(.json)"), ("@RecordColumn()", "@RecordColumn(.json)"),
            ("@VigilMacros.RecordColumn(.generated)", "@VigilMacros.RecordColumn(.generated, .json)"),
        ] {
            let source =
                "@Record struct A {\n    var id: Int\n    /// Tags.\n    \(attribute) var tags: [String]\n}"
            let expected = source.replacingOccurrences(of: "\(attribute) ", with: "\(fixed) ")
            XCTAssertEqual(Expansion(source).fixed, expected)
            XCTAssertEqual(Expansion(expected).problems, [])
        }
    }

    func testTwoPropertiesCannotHaveTheSameColumn() {
        check(
            "@Record struct A { var id: Int\nvar b: Int\n@RecordColumn(\"B\") var c: Int }",
            "3:24 another property has the column 'B'")
        check(
            "@Record(.snakeCase) struct A { var id: Int; var aB: Int; var a_b: Int }",
            "1:62 another property has the column 'a_b'")
    }

    func testATableHasAPrimaryKey() {
        check(
            "@Record struct A { var b: Int }",
            "1:16 the record has no primary key: name a property 'id', mark its properties with @RecordColumn(.primaryKey), or write @Record(.keyless)"
        )
        check(
            "@Record(.keyless) struct A { @RecordColumn(.primaryKey) var b: Int }",
            "1:61 a keyless record has no primary key")
        check(
            "@Record struct A { @RecordColumn(.primaryKey, .json) var id: [Int] }",
            "1:20 a column of the primary key cannot contain JSON")
        check(
            "@Record struct A { @RecordColumn(.primaryKey, .generated) var id: Int }",
            "1:20 a generated column cannot belong to the primary key")
        // A record without the key in its columns would be inserted again by each `save`.
        check(
            "@Record struct A { @RecordColumn(.generated) var id: Int64? }",
            "1:50 a generated column cannot belong to the primary key")
        check(
            "@Record struct A { @RecordColumn(.json) var id: [Int] }",
            "1:45 a column of the primary key cannot contain JSON")
        check("@Record(.keyless) struct A { @RecordColumn(.generated) var id: Int64? }")
        check("@FetchedRecord struct A { @RecordColumn(.generated) var id: Int64? }")
        check("@FetchedRecord struct A { var b: Int }")
    }

    func testDecodedPropertiesHaveNoValueAndOthersOne() {
        check(
            "@Record struct A { let id = 1 }",
            "1:24 'id' has its value already: declare it with 'var', or mark it with @RecordIgnored",
            "1:16 the record has no primary key: name a property 'id', mark its properties with @RecordColumn(.primaryKey), or write @Record(.keyless)"
        )
        check(
            "@Record struct A { var id: Int; @RecordIgnored var b: Int }",
            "1:52 'b' is not decoded, and needs a value here")
        check(
            "@Record struct A { var id: Int; @RecordIgnored let b: Int? }",
            "1:52 'b' is not decoded, and needs a value here")
        check(
            "@Record struct A { var id: Int; @RecordIgnored var b: Optional<Int> }",
            "1:52 'b' is not decoded, and needs a value here")
        check("@Record struct A { var id: Int; @RecordIgnored let b = 1 }")
        check("@Record struct A { var id: Int; @RecordIgnored var b: Int! }")
    }

    func testNamesAreLiterals() {
        check(
            "@Record(name) struct A { var id: Int }",
            "1:9 a name must be a string literal without interpolation")
        check(
            #"@Record("\(1)") struct A { var id: Int }"#,
            "1:9 a name must be a string literal without interpolation")
        // Constants, unlike `RecordColumnOption.json`.
        check(
            "@Record(Tables.players) struct A { var id: Int }",
            "1:9 a name must be a string literal without interpolation")
        check(
            "@Record struct A { var id: Int; @RecordColumn(Keys.json) var b: String }",
            "1:47 a name must be a string literal without interpolation")
        check("@Record struct A { var id: Int; @RecordColumn(RecordColumnOption.json) var b: [String] }")
        check(
            "@Record struct A { @RecordColumn(\"\") var id: Int }", "1:34 a name must not be empty")
    }

    func testAttributesBelongToStoredPropertiesOfRecords() {
        check(
            "@Record struct A { var id: Int; @RecordColumn(\"x\") var b: Int { 1 } }",
            "1:33 this attribute requires a stored property of an instance")
        check(
            "@Record struct A { var id: Int; @RecordIgnored static var b = 1 }",
            "1:33 this attribute requires a stored property of an instance")
        check(
            "@Record struct A { var id: Int; @RecordColumn(\"x\") lazy var b = 1 }",
            "1:33 a lazy property has no column, and is neither decoded nor saved")
        check("@Record struct A { var id: Int; @RecordIgnored lazy var b = 1 }")
        check(
            "struct A { @RecordIgnored var b = 1 }",
            "1:12 this attribute requires a struct with @Record or @FetchedRecord")
        check(
            "@Record struct A { var id: Int; @RecordColumn @RecordIgnored var b = 1 }",
            "1:47 this attribute contradicts another one of the property")
    }

    func testDeclarationsThatTheMacroCannotUse() {
        check(
            "@Record struct A { var id: Int; var (b, c) = (1, 2) }",
            "1:37 declare each column for itself, or mark the declaration with @RecordIgnored")
        check("@Record struct A { var id: Int; @RecordIgnored var (b, c) = (1, 2) }")
        check(
            "class B { @Record private struct A { var id: Int } }",
            "1:34 a macro cannot extend a private type inside of another one: declare it fileprivate")
        check(
            "private extension B { @Record private struct A { var id: Int } }",
            "1:46 a macro cannot extend a private type inside of another one: declare it fileprivate")
        check("private extension B { @Record struct A { var id: Int } }")
        check("@Record private struct A { var id: Int }")
    }

    func testOtherRecords() {
        check(
            "@Record struct A { var id: Int; @RecordAssociated var b: B? }",
            "1:55 associated records require @FetchedRecord")
        check(
            "@Record struct A { var id: Int; @RecordNested var b: B? }",
            "1:54 a nested record cannot be optional: it is decoded from the whole row")
    }

    func testConditionsMayCompileOtherMembers() {
        for member in [
            "var b: Int", "var b = 1 { didSet {} }", "enum Columns {}", "init(row: Row) throws { id = 1 }",
            "func encode(to container: inout PersistenceContainer) {}", "#if os(Linux)\nvar b: Int\n#endif",
            "#else\nlet b: Int", "static let databaseTableName = \"b\"", "var id: Int { 1 }",
        ] {
            check(
                "@Record struct A { var id: Int\n#if DEBUG\n\(member)\n#endif\n}",
                "2:1 a macro cannot know which members #if compiles")
        }
        for member in [
            "static let b = A(id: 1)", "var b: Int { 1 }", "func b() {}", "init(b: Int) { id = b }",
            "enum B { case b }", "lazy var b = 1", "#else", "",
        ] {
            check("@Record struct A { var id: Int\n#if DEBUG\n\(member)\n#endif\n}")
        }
    }
}
