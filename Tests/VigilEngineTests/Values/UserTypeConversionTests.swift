import Foundation
import VigilEngine
import VigilStorage
import XCTest

// Types, declared as users would. The tests also verify that these declarations compile.

private enum Color: String, DatabaseValueConvertible { case red, white }
private enum FastColor: String, DatabaseValueConvertible, StatementColumnConvertible { case red, white }
private enum CodedColor: Int, Codable, DatabaseValueConvertible, StatementColumnConvertible { case red = 1 }
private struct Options: OptionSet, Codable, DatabaseValueConvertible, Hashable {
    let rawValue: Int
    static let a = Options(rawValue: 1)
}
private struct Address: Codable, DatabaseValueConvertible, StatementColumnConvertible, Equatable {
    var street: String
    var city: String?
    var since: Date?
}
private struct Empty: Codable, DatabaseValueConvertible, Equatable {}
private struct Tags: Codable, DatabaseValueConvertible, Equatable {
    var names: [String]
    init(_ names: [String]) { self.names = names }
    init(from decoder: any Decoder) throws { names = try [String](from: decoder) }
    func encode(to encoder: any Encoder) throws { try names.encode(to: encoder) }
}
/// Encodes a single value, instead of an object or an array.
private struct Wrapper<Value: Codable & Equatable>: Codable, DatabaseValueConvertible, Equatable {
    var value: Value
    init(_ value: Value) { self.value = value }
    init(from decoder: any Decoder) throws { value = try decoder.singleValueContainer().decode(Value.self) }
    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(value)
    }
}
private struct Custom: Codable, DatabaseValueConvertible, Equatable {
    var moment: Date
    static func databaseJSONEncoder() -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .secondsSince1970
        return encoder
    }
    static func databaseJSONDecoder() -> JSONDecoder {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .secondsSince1970
        return decoder
    }
}
private struct Even: DatabaseValueConvertible, StatementColumnConvertible, Equatable {
    var value: Int
    var databaseValue: DatabaseValue { value.databaseValue }
    static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Even? {
        guard let value = Int.fromDatabaseValue(dbValue), value.isMultiple(of: 2) else { return nil }
        return Even(value: value)
    }
}
private struct Tagged<Tag, RawValue>: RawRepresentable { var rawValue: RawValue }
extension Tagged: Encodable where RawValue: Encodable {}
extension Tagged: Decodable where RawValue: Decodable {}
extension Tagged: Equatable where RawValue: Equatable {}
extension Tagged: SQLExpressible where RawValue: SQLExpressible {}
extension Tagged: StatementBinding where RawValue: StatementBinding {}
extension Tagged: StatementColumnConvertible where RawValue: StatementColumnConvertible {}
extension Tagged: DatabaseValueConvertible where RawValue: DatabaseValueConvertible {}

final class UserTypeConversionTests: XCTestCase {
    private func assertJSON<T: DatabaseValueConvertible & Equatable>(
        _ value: T, _ json: String, line: UInt = #line
    ) {
        XCTAssertEqual(value.databaseValue, json.databaseValue, line: line)
        XCTAssertEqual(T.fromDatabaseValue(json.databaseValue), value, line: line)
        XCTAssertEqual(T.fromDatabaseValue(Data(json.utf8).databaseValue), value, line: line)
    }

    func testEnumIsStoredAsRawValue() {
        XCTAssertEqual(Color.red.databaseValue, "red".databaseValue)
        XCTAssertEqual(Color.fromDatabaseValue("white".databaseValue), .white)
        XCTAssertNil(Color.fromDatabaseValue("blue".databaseValue))
        assertStores(FastColor.red, as: .text("red"))
        assertReads(.text("blue"), as: FastColor?.none)
        assertStores(CodedColor.red, as: .integer(1))
        assertReads(.integer(2), as: CodedColor?.none)
        XCTAssertEqual(Options.a.databaseValue, 1.databaseValue)
        XCTAssertEqual(Color.red.boundValue, .text("red"))
    }

    func testCodableTypeIsStoredAsJSONWithSortedKeys() {
        let address = Address(street: "High", city: "Bree", since: Date(timeIntervalSince1970: 1.5))
        assertJSON(address, #"{"city":"Bree","since":1500,"street":"High"}"#)
        assertStores(address, as: .text(#"{"city":"Bree","since":1500,"street":"High"}"#))
        assertJSON(Tags(["b", "a"]), #"["b","a"]"#)
        assertJSON(Tags([]), "[]")
        assertJSON(Empty(), "{}")
    }

    func testInvalidJSONIsNotRead() {
        for text in ["", "{", #"{"city":"Bree"}"#, "[]", "null"] {
            assertReads(.text(text), as: Address?.none)
        }
        assertReads(.integer(1), as: Address?.none)
        assertReads(.null, as: Address?.none)
    }

    func testCodableTypeThatEncodesSingleValueIsStoredAsThatValue() {
        XCTAssertEqual(Wrapper("text").databaseValue, "text".databaseValue)
        XCTAssertEqual(Wrapper<String>.fromDatabaseValue("text".databaseValue), Wrapper("text"))
        XCTAssertEqual(Wrapper(12).databaseValue.storage, .int64(12))
        let moment = Date(timeIntervalSince1970: 0)
        XCTAssertEqual(Wrapper(moment).databaseValue, "1970-01-01 00:00:00.000".databaseValue)
        XCTAssertEqual(Wrapper<Date>.fromDatabaseValue(moment.databaseValue), Wrapper(moment))
        XCTAssertEqual(Wrapper(Data([1])).databaseValue, Data([1]).databaseValue)
        XCTAssertEqual(Wrapper(Int?.none).databaseValue, .null)
        XCTAssertEqual(Wrapper<Int?>.fromDatabaseValue(.null), Wrapper(nil))
        XCTAssertNil(Wrapper<Int>.fromDatabaseValue("text".databaseValue))
        assertJSON(Wrapper(["a": 1]), #"{"a":1}"#)
    }

    func testTypeCanCustomizeItsJSON() {
        assertJSON(Custom(moment: Date(timeIntervalSince1970: 7)), #"{"moment":7}"#)
    }

    func testDirectDecodingOfCustomTypeHasTheSameResult() {
        assertStores(Even(value: 4), as: .integer(4))
        assertReads(.integer(3), as: Even?.none)
    }

    func testRawRepresentableWrapperIsStoredAsRawValue() {
        assertStores(Tagged<Color, String>(rawValue: "x"), as: .text("x"))
        assertReads(.integer(1), as: Tagged<Color, String>?.none)
        XCTAssertEqual(Tagged<Color, Int>(rawValue: 1).boundValue, .integer(1))
    }

    func testOptionalDistinguishesNullFromFailedConversion() {
        assertStores(Int?.some(1), as: .integer(1))
        assertReads(.null, as: Int??.some(nil))
        assertReads(.text("x"), as: Int??.none)
        assertReads(.null, as: Even??.some(nil))
        XCTAssertTrue(Int?.none.databaseValue.isNull)
        XCTAssertEqual(Int?.none.boundValue, .null)
        XCTAssertEqual(Int?.fromMissingColumn(), Int??.some(nil))
        XCTAssertNil(Int.fromMissingColumn())
    }

    func testValuesAreExpressionsThatBindThem() {
        func boundValue(_ expressible: any SQLExpressible) -> DatabaseValue? {
            guard case .value(let value) = expressible.sqlExpression.content else { return nil }
            return value
        }
        XCTAssertEqual(boundValue(1), 1.databaseValue)
        XCTAssertEqual(boundValue(Color.red), "red".databaseValue)
        XCTAssertEqual(boundValue(Int?.none), .null)
        XCTAssertEqual(boundValue(Tagged<Color, Int>(rawValue: 1)), 1.databaseValue)
    }
}
