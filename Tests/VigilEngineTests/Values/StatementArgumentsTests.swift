import VigilEngine
import VigilStorage
import XCTest

final class StatementArgumentsTests: XCTestCase {
    private func values(_ arguments: StatementArguments, for names: [String?]) throws -> [DatabaseValue] {
        var arguments = arguments
        return try arguments.consume(forParametersNamed: names, sql: "SELECT")
    }

    private func assertMisuse(
        _ arguments: StatementArguments, for names: [String?], _ message: String, line: UInt = #line
    ) {
        XCTAssertThrowsError(try values(arguments, for: names), line: line) { error in
            XCTAssertEqual((error as? DatabaseError)?.resultCode, .SQLITE_MISUSE, line: line)
            XCTAssertEqual((error as? DatabaseError)?.message, message, line: line)
            XCTAssertEqual((error as? DatabaseError)?.sql, "SELECT", line: line)
        }
    }

    func testInitializersAreEquivalent() {
        let optionals: [(any DatabaseValueConvertible)?] = [1, nil]
        XCTAssertEqual(StatementArguments(optionals), [1, nil])
        XCTAssertEqual(StatementArguments(optionals.lazy.map { $0 }), [1, nil])
        XCTAssertEqual(StatementArguments([1, 2]), [1, 2])
        XCTAssertEqual(StatementArguments([1, nil] as [Int?]), [1, nil])
        XCTAssertEqual(StatementArguments([1, "a"] as [Any]), [1, "a"])
        let dictionary: [String: (any DatabaseValueConvertible)?] = ["a": 1, "b": nil]
        XCTAssertEqual(StatementArguments(dictionary), ["a": 1, "b": nil])
        let pairs: [(String, (any DatabaseValueConvertible)?)] = [("a", 0), ("b", nil), ("a", 1)]
        XCTAssertEqual(StatementArguments(pairs), ["a": 1, "b": nil])
        XCTAssertEqual(StatementArguments(["a": 1] as [AnyHashable: Any]), ["a": 1])
        XCTAssertEqual(StatementArguments(), [])
    }

    func testInitializersReturnNilForOtherTypes() {
        XCTAssertNil(StatementArguments([1, [2]] as [Any]))
        XCTAssertNil(StatementArguments([1: 1] as [AnyHashable: Any]))
        XCTAssertNil(StatementArguments(["a": [1]] as [AnyHashable: Any]))
    }

    func testArgumentsAreEmptyWithoutPositionalAndNamedValues() {
        XCTAssertTrue(StatementArguments().isEmpty)
        XCTAssertFalse(([nil] as StatementArguments).isEmpty)
        XCTAssertFalse((["a": nil] as StatementArguments).isEmpty)
    }

    func testArgumentsCanBeCombined() {
        let sum: StatementArguments = ["a": 1] + [2] + [3, 4] + ["b": 5]
        XCTAssertEqual(sum.description, #"["a": 1, "b": 5, 2, 3, 4]"#)
        XCTAssertEqual((["a": 1, "b": 2] as StatementArguments) &+ ["a": 3], ["a": 3, "b": 2])
        var arguments: StatementArguments = ["a": 1, "b": 2]
        XCTAssertEqual(arguments.append(contentsOf: ["a": 3, "c": 4]), ["a": 1.databaseValue])
        XCTAssertEqual(arguments, ["a": 3, "b": 2, "c": 4])
        arguments += ["d": 5]
        XCTAssertEqual(arguments, ["a": 3, "b": 2, "c": 4, "d": 5])
    }

    func testDescriptionShowsValues() {
        XCTAssertEqual(
            ([1, nil, "say \"it\"", 1.5] as StatementArguments).description,
            #"[1, NULL, "say \"it\"", 1.5]"#)
        XCTAssertEqual(StatementArguments().description, "[]")
    }

    func testValuesAreMatchedByPositionAndName() throws {
        XCTAssertEqual(try values([1, 2], for: [nil, nil]), [1.databaseValue, 2.databaseValue])
        XCTAssertEqual(try values([1, 2], for: ["a", nil]), [1.databaseValue, 2.databaseValue])
        XCTAssertEqual(try values(["b": 1, "a": 2], for: ["a", "b"]), [2.databaseValue, 1.databaseValue])
        XCTAssertEqual(
            try values(["a": 1] + [2, 3], for: [nil, "a", "b"]),
            [2.databaseValue, 1.databaseValue, 3.databaseValue])
        XCTAssertEqual(try values([], for: []), [])
    }

    func testMissingValuesThrow() {
        assertMisuse([:], for: ["name"], "missing statement argument: name")
        assertMisuse(["a": 1], for: ["b", "a", nil, "c"], "missing statement arguments: b, c")
        assertMisuse([1], for: [nil, nil], "wrong number of statement arguments: 1")
    }

    func testSurplusPositionalValuesThrowAndSurplusNamesDoNot() throws {
        assertMisuse([1], for: [], "wrong number of statement arguments: 1")
        assertMisuse(["a": 1] + [2, 3], for: ["a", nil], "wrong number of statement arguments: 2")
        XCTAssertEqual(try values(["a": 1, "unused": 2], for: ["a"]), [1.databaseValue])
    }

    func testErrorsNameTheRightNumberOfValues() {
        for (arguments, names, needed) in [
            ([1], [nil, nil], 2), ([1], [], 0), (["a": 1] + [2, 3], ["a", nil], 1), ([], [nil, nil, nil], 3),
            (["a": 1] + [2], ["a", nil, nil], 2),
        ] as [(StatementArguments, [String?], Int)] {
            XCTAssertThrowsError(try values(arguments, for: names)) { error in
                let description = (error as? DatabaseError)?.debugDescription ?? "\(error)"
                XCTAssertTrue(description.contains("(\(needed) needed)"), description)
            }
        }
    }

    func testStatementsConsumePositionalValuesAndShareNamedOnes() throws {
        var arguments: StatementArguments = ["a": 0] + [1, 2, 3]
        let first = try arguments.consume(
            forParametersNamed: [nil, "a", nil], sql: "1", allowsRemainder: true)
        XCTAssertEqual(first, [1.databaseValue, 0.databaseValue, 2.databaseValue])
        let second = try arguments.consume(forParametersNamed: ["a", nil], sql: "2")
        XCTAssertEqual(second, [0.databaseValue, 3.databaseValue])
        XCTAssertEqual(arguments, ["a": 0])
    }

    func testFailureConsumesNothing() {
        var arguments: StatementArguments = [1, 2]
        XCTAssertThrowsError(try arguments.consume(forParametersNamed: [nil], sql: ""))
        XCTAssertThrowsError(try arguments.consume(forParametersNamed: [nil, nil, nil], sql: ""))
        XCTAssertEqual(arguments, [1, 2])
    }

    func testArgumentNameHasNoPrefix() {
        XCTAssertEqual(
            [":a", "@a", "$a", "?12", nil].map(StatementArguments.name(ofParameter:)),
            ["a", "a", "a", "12", nil])
    }

    func testOnlyEqualValuesOfTheSameKindAreIdentical() {
        let one: StatementArguments = ["a": 1] + [2]
        XCTAssertTrue(one.isIdentical(to: ["a": 1] + [2]))
        XCTAssertEqual(one, ["a": 1.0] + [2])
        XCTAssertFalse(one.isIdentical(to: ["a": 1.0] + [2]))
        XCTAssertFalse(one.isIdentical(to: ["a": 1] + [2.0]))
        XCTAssertFalse(one.isIdentical(to: ["b": 1] + [2]))
        XCTAssertFalse(one.isIdentical(to: ["a": 1]))
    }
}
