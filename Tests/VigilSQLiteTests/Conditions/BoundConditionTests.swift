import VigilStorage
import XCTest

/// Conditions after values are bound, with the rules of affinity and collation applied.
final class BoundConditionTests: RecognitionTestCase {
    private func condition(
        _ column: String, _ test: RowCondition.Test, _ collation: RowCondition.Collation = .binary
    ) -> RowCondition {
        RowCondition(.named(column), test, collation: collation)
    }

    func testNumericTextIsANumberForNumericColumns() throws {
        for text in ["5", " 5 ", "05", "+5"] {
            try assertBinds([.text(text)], in: "team = ?", to: condition("team", .oneOf([.integer(5)])))
        }
        try assertBinds([.text("5.0")], in: "team = ?", to: condition("team", .oneOf([.real(5)])))
        try assertBinds([.text("abc")], in: "team = ?", to: condition("team", .oneOf([.text("abc")])))
        try assertBinds([.text("0x5")], in: "team = ?", to: condition("team", .oneOf([.text("0x5")])))
        try assertBinds([.text("")], in: "team = ?", to: condition("team", .oneOf([.text("")])))
        try assertBinds([.text("1e3")], in: "team = ?", to: nil)
        try assertBinds([.text("99999999999999999999")], in: "team = ?", to: nil)
        try assertBinds([.text("5\0")], in: "team = ?", to: nil)
        try assertBinds(
            [.text("2024-01-02")], in: "joined >= ?",
            to: condition("joined", .range(lower: .init(.text("2024-01-02"), isIncluded: true), upper: nil)))
    }

    func testNumbersAreTextForTextColumns() throws {
        try assertBinds([.integer(-5)], in: "name = ?", to: condition("name", .oneOf([.text("-5")])))
        try assertBinds([.real(5)], in: "name = ?", to: nil)
        try assertBinds([.blob([1])], in: "name = ?", to: condition("name", .oneOf([.blob([1])])))
    }

    func testValuesStayAsTheyAreForColumnsWithoutType() throws {
        for value in [StorageValue.integer(5), .text("5"), .real(2.5), .blob([])] {
            try assertBinds([value], in: "note = ?", to: condition("note", .oneOf([value])))
        }
    }

    func testLargeIntegersAreUncertainForRealColumns() throws {
        try assertBinds(
            [.integer(1 << 53)], in: "score = ?", to: condition("score", .oneOf([.integer(1 << 53)])))
        try assertBinds([.integer(1 << 53 + 1)], in: "score = ?", to: nil)
        try assertBinds([.text("9007199254740993")], in: "score = ?", to: nil)
        try assertBinds(
            [.integer(1 << 53 + 1)], in: "team = ?", to: condition("team", .oneOf([.integer(1 << 53 + 1)])))
    }

    func testDecimalNumbersThatAreRoundedAreRanges() throws {
        func around(_ real: Double) -> RowCondition.Test {
            .range(
                lower: .init(.real(real.nextDown.nextDown.nextDown.nextDown), isIncluded: true),
                upper: .init(.real(real.nextUp.nextUp.nextUp.nextUp), isIncluded: true))
        }
        try assertBinds([], in: "score = 0.1", to: condition("score", around(0.1)))
        try assertBinds([.text("0.1")], in: "score = ?", to: condition("score", around(0.1)))
        try assertBinds([.real(0.1)], in: "score = ?", to: condition("score", .oneOf([.real(0.1)])))
        try assertBinds([], in: "score = -2.5", to: condition("score", .oneOf([.real(-2.5)])))
        try assertBinds([], in: "score IN (0.1, 2)", to: nil)
        try assertBinds(
            [], in: "score IN (0.5, 2)", to: condition("score", .oneOf([.real(0.5), .integer(2)])))
    }

    func testNothingEqualsNull() throws {
        for sql in [
            "team = ?", "team > ?", "team <= ?", "team BETWEEN ? AND 5", "team BETWEEN 1 AND ?",
            "team IN (?)",
        ] {
            try assertBinds([.null], in: sql, to: condition("team", .oneOf([])))
            try assertBinds([.real(.nan)], in: sql, to: condition("team", .oneOf([])))
        }
        try assertBinds([.null], in: "team IS ?", to: condition("team", .isNull))
        try assertBinds([.integer(5)], in: "team IS ?", to: condition("team", .oneOf([.integer(5)])))
        try assertBinds([.null], in: "team IN (?, 3)", to: condition("team", .oneOf([.integer(3)])))
        try assertBinds([], in: "team = NULL", to: condition("team", .oneOf([])))
    }

    func testTextComparesByTheCollationOfTheColumn() throws {
        try assertBinds([.text("Ab")], in: "nick = ?", to: condition("nick", .oneOf([.text("Ab")]), .nocase))
        try assertBinds([.text("Ab")], in: "? = nick", to: condition("nick", .oneOf([.text("Ab")]), .nocase))
        try assertBinds([.text("a\0b")], in: "nick = ?", to: nil)
        try assertBinds([.text("a ")], in: "code = ?", to: condition("code", .oneOf([.text("a ")]), .rtrim))
        try assertBinds([.text("a")], in: "code > ?", to: nil)
        let above = RowCondition.Test.range(lower: .init(.text("a"), isIncluded: false), upper: nil)
        try assertBinds([.text("a")], in: "nick > ?", to: condition("nick", above, .nocase))
        try assertBinds([.text("a")], in: "name > ?", to: condition("name", above))
    }

    func testAnUncertainBoundKeepsTheOtherBound() throws {
        let below = RowCondition.Test.range(lower: nil, upper: .init(.integer(7), isIncluded: true))
        try assertBinds([.text("1e3")], in: "team BETWEEN ? AND 7", to: condition("team", below))
    }

    func testRowIDsCompareAsIntegers() throws {
        try assertBinds([.text("5")], in: "id = ?", to: RowCondition(.rowID, .oneOf([.integer(5)])))
        try assertBinds([.text("x")], in: "rowid = ?", to: RowCondition(.rowID, .oneOf([.text("x")])))
    }

    func testAnApplicationCollationIsUnknown() throws {
        for (name, connection) in try connections() {
            let host = try XCTUnwrap(connection as? any FunctionHosting)
            try host.add(StorageCollation(name: "local") { $0 < $1 ? -1 : $0 > $1 ? 1 : 0 })
            try connection.run("CREATE TABLE word(t TEXT COLLATE local, n COLLATE local)")
            func bound(_ condition: String, _ value: StorageValue) throws -> [[RowCondition]]? {
                try connection.prepared("SELECT * FROM word WHERE \(condition)")
                    .rowConditions(boundTo: [value])[TableName(name: "word")]
            }
            XCTAssertNil(try bound("t = ?", .text("a")), name)
            XCTAssertNil(try bound("t = ?", .integer(5)), name)
            XCTAssertEqual(
                try bound("n = ?", .integer(5)), [[RowCondition(.named("n"), .oneOf([.integer(5)]))]], name)
            let nicks = {
                try connection.prepared("SELECT * FROM player WHERE nick = 'a'").rowConditions(boundTo: [])
            }
            XCTAssertEqual(try nicks().count, 1, name)
            try host.add(StorageCollation(name: "NoCase") { $0 < $1 ? -1 : $0 > $1 ? 1 : 0 })
            XCTAssertEqual(try nicks(), [:], name)
        }
    }

    func testTextOfOtherEncodingsIsUnknown() throws {
        for backend in NamedBackend.all {
            let connection = try backend.open("PRAGMA encoding = 'UTF-16le'; CREATE TABLE word(t TEXT)")
            guard try connection.run("PRAGMA encoding") != [[.text("UTF-8")]] else { continue }
            let statement = try connection.prepared("SELECT * FROM word WHERE t > 'a'")
            XCTAssertEqual(statement.rowConditions(boundTo: []), [:], backend.name)
        }
    }
}
