import VigilStorage
import VigilTestSupport
import XCTest

@testable import VigilPostgres

final class ComparedTypeTests: XCTestCase {
    private func cell(_ type: ComparedType, _ text: String) -> StorageValue? {
        var copies: [UnsafeMutableRawBufferPointer] = []
        defer { for copy in copies { copy.deallocate() } }
        return Array(text.utf8).withUnsafeBytes { bytes in
            type.cell(bytes) { count in
                copies.append(.allocate(byteCount: count, alignment: 1))
                return copies[copies.count - 1]
            }?.value
        }
    }

    func testValuesOfRows() {
        let uuid = "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"
        let values: [(ComparedType, String, StorageValue?)] = [
            (.integer, "-7", .integer(-7)), (.integer, "x", nil),
            (.oid, "4294967295", .integer(4_294_967_295)),
            (.boolean, "t", .integer(1)), (.boolean, "f", .integer(0)), (.boolean, "true", nil),
            (.uuid, uuid, .text(uuid)), (.text, "", .text("")), (.bytes, #"\x00fF"#, .blob([0, 255])),
            (.bytes, #"a\\"#, nil), (.date, "2000-01-01", .integer(0)), (.date, "1999-12-31", .integer(-1)),
            (.date, "2024-02-29", .integer(8_825)), (.date, "2023-02-29", nil),
            (.date, "0001-01-01", .integer(-730_119)), (.date, "0001-12-31 BC", .integer(-730_120)),
            (.date, "5874897-12-31", nil), (.date, "infinity", .integer(Int64(Int32.max))),
            (.date, "-infinity", .integer(Int64(Int32.min))), (.date, "27/11/2026", nil),
            (.timestamp, "2000-01-01 00:00:01.5", .integer(1_500_000)),
            (.timestamp, "1999-12-31 23:59:59.999999", .integer(-1)),
            (.timestamp, "infinity", .integer(.max)),
            (.timestamp, "2000-01-01 00:00:00+00", nil), (.timestamp, "2000-01-01", nil),
            (.zonedTimestamp, "2000-01-01 00:00:00+00", .integer(0)),
            (.zonedTimestamp, "2000-01-01 02:00:00+02", .integer(0)),
            (.zonedTimestamp, "1999-12-31 18:30:00-05:30", .integer(0)),
            (.zonedTimestamp, "2000-01-01 00:00:00", nil),
            (
                .zonedTimestamp, "0001-01-01 00:00:00+00 BC",
                .integer(-730_485 * 86_400_000_000)
            ),
        ]
        for (type, text, expected) in values { XCTAssertEqual(cell(type, text), expected, "\(type) \(text)") }
    }

    func testValuesOfParametersWithOneMeaning() {
        let uuid = "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"
        let values: [(ComparedType, StorageValue, StorageValue?)] = [
            (.integer, .null, .null), (.integer, .integer(5), .integer(5)),
            (.integer, .text("05"), .integer(5)),
            (.integer, .text(" 5"), nil), (.integer, .text("+5"), nil), (.integer, .real(5), .integer(5)),
            (.integer, .real(5.5), nil), (.integer, .text("0x5"), nil), (.integer, .blob([5]), nil),
            (.oid, .integer(-1), nil), (.oid, .text("-1"), nil), (.boolean, .integer(1), .integer(1)),
            (.boolean, .integer(2), nil), (.boolean, .text("true"), .integer(1)),
            (.boolean, .text("off"), nil),
            (.uuid, .text(uuid.uppercased()), .text(uuid)), (.uuid, .text("{\(uuid)}"), nil),
            (.uuid, .text(uuid.filter { $0 != "-" }), nil),
            (.uuid, .text(uuid.replacing("a", with: "g")), nil),
            (
                .uuid,
                .blob([
                    0xa0, 0xee, 0xbc, 0x99, 0x9c, 0x0b, 0x4e, 0xf8, 0xbb, 0x6d, 0x6b, 0xb9, 0xbd, 0x38, 0x0a,
                    0x11,
                ]),
                .text(uuid)
            ),
            (.uuid, .blob([1]), nil), (.text, .integer(5), .text("5")), (.text, .real(5), nil),
            (.text, .blob([0x41]), .text("A")), (.text, .blob([0xff]), nil),
            (.asciiText, .text("a"), .text("a")), (.asciiText, .text("é"), nil),
            (.asciiText, .integer(5), .text("5")), (.asciiText, .blob([0xc3, 0xa9]), nil),
            (.label, .text("a"), .text("a")),
            (.label, .integer(1), nil), (.bytes, .text("A"), .blob([0x41])), (.bytes, .blob([1]), .blob([1])),
            (.date, .text("2000-01-02"), .integer(1)), (.date, .text("2000-01-02 00:00"), nil),
            (.timestamp, .text("2000-01-01T00:00:01"), .integer(1_000_000)),
            (.timestamp, .text("2000-01-01 00:00:00.1234567"), nil),
            (.timestamp, .text("2000-01-01 24:00"), nil),
            (.timestamp, .text("now"), nil), (.zonedTimestamp, .text("2000-01-01 00:00"), nil),
            (.zonedTimestamp, .text("2000-01-01 00:00:00.000 +00:00"), nil),
            (.zonedTimestamp, .text("2000-01-01 00:00:00.000+00:00"), .integer(0)),
            (.zonedTimestamp, .text("2000-01-01 00:00Z"), .integer(0)), (.date, .integer(5), nil),
        ]
        for (type, value, expected) in values {
            XCTAssertEqual(type.parameter(value), expected, "\(type) \(value)")
        }
    }

    func testElementsOfArrays() {
        let arrays: [(ComparedType, StorageValue, [StorageValue]?)] = [
            (.integer, .text("{}"), []), (.integer, .text("{1,NULL,-2}"), [.integer(1), .integer(-2)]),
            (.integer, .null, []), (.integer, .text("{1,x}"), nil), (.integer, .text("{{1}}"), nil),
            (.integer, .text("[0:0]={1}"), nil), (.integer, .text("{1, 2}"), nil),
            (.integer, .text("{1,}"), nil),
            (.integer, .text("{\"1\"}"), [.integer(1)]), (.integer, .integer(1), nil),
            (
                .text, .text(#"{a,"b,\"\\ {",null,"null",é}"#),
                ["a", "b,\"\\ {", "null", "null", "é"].map { .text($0) }
            ),
            (.label, .text("{NULL}"), [.text("NULL")]), (.asciiText, .text("{a,é}"), nil),
            (.text, .text(#"{"a}"#), nil), (.text, .text(#"{"a"b}"#), nil), (.text, .text(#"{a\b}"#), nil),
            (.text, .text("{"), nil), (.text, .text("}"), nil), (.text, .text(""), nil),
            (.bytes, .text("{a}"), nil),
        ]
        for (type, value, expected) in arrays {
            XCTAssertEqual(type.elements(of: value), expected, "\(value)")
        }
    }

    func testConstants() {
        XCTAssertEqual(ComparedType.integer.constant([5, 0, 0, 0, 0, 0, 0, 0]), .integer(5))
        XCTAssertEqual(ComparedType.integer.constant(Array(repeating: 255, count: 8)), .integer(-1))
        XCTAssertEqual(
            ComparedType.oid.constant(Array(repeating: 255, count: 8)), .integer(Int64(UInt32.max)))
        XCTAssertNil(ComparedType.integer.constant([5, 0, 0, 0]))
        XCTAssertEqual(ComparedType.text.constant([24, 0, 0, 0, 121, 37]), .text("y%"))
        XCTAssertNil(ComparedType.text.constant([25, 0, 0, 0, 121, 37]))
        XCTAssertNil(ComparedType.text.constant([28, 0, 0, 0, 121, 37]))
        XCTAssertNil(ComparedType.text.constant([20, 0, 0, 0, 255]))
        XCTAssertEqual(ComparedType.bytes.constant([20, 0, 0, 0, 255]), .blob([255]))
        XCTAssertNil(ComparedType.text.constant([]))
    }

    func testNoTextTraps() {
        var random = SeededRandom.seeded()
        let parts = Array("0123456789-+:. TZBC{}\",\\xNULé".utf8)
        let types: [ComparedType] = [
            .integer, .oid, .boolean, .uuid, .text, .label, .asciiText, .bytes, .date, .timestamp,
            .zonedTimestamp,
        ]
        for _ in 0..<RandomTestSettings.rounds(10_000) {
            let count = Int.random(in: 0...30, using: &random)
            let text = String(decoding: (0..<count).map { _ in random.pick(parts) }, as: UTF8.self)
            for type in types {
                _ = cell(type, text)
                _ = type.parameter(.text(text))
                _ = type.elements(of: .text(text))
            }
        }
    }
}
