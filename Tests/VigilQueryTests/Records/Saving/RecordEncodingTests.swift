import Foundation
import Vigil
import XCTest

/// A record with a single column that is encoded by `Value`.
private struct Box<Value: Codable>: Codable, FetchableRecord, PersistableRecord {
    static var databaseTableName: String { "box" }
    var value: Value
}

private enum Color: String, Codable, DatabaseValueConvertible { case red }
private enum Size: Int, Codable { case small = 1 }
private struct Address: Codable, Equatable { var street: String, city: String? }
private struct Single<Value: Codable>: Codable {
    var value: Value
    init(_ value: Value) { self.value = value }
    init(from decoder: any Decoder) throws { value = try decoder.singleValueContainer().decode(Value.self) }
    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(value)
    }
}

private protocol Strategic: Encodable, EncodableRecord {}

extension Strategic {
    static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy {
        column == "ms" ? .millisecondsSince1970 : .iso8601
    }
    static func databaseUUIDEncodingStrategy(for column: String) -> DatabaseUUIDEncodingStrategy {
        column == "lower" ? .lowercaseString : .uppercaseString
    }
    static func databaseDataEncodingStrategy(for column: String) -> DatabaseDataEncodingStrategy {
        column == "fixed" ? .custom { _ in nil } : .text
    }
}

final class RecordEncodingTests: XCTestCase {
    private func stored<Value: Codable>(_ value: Value) throws -> DatabaseValue? {
        try Box(value: value).databaseDictionary["value"]
    }

    func testValuesAreStoredAsTheirDatabaseValue() throws {
        XCTAssertEqual(try stored(true), 1.databaseValue)
        XCTAssertEqual(try stored(Int8(1)), 1.databaseValue)
        XCTAssertEqual(try stored(Int16(1)), 1.databaseValue)
        XCTAssertEqual(try stored(Int32(1)), 1.databaseValue)
        XCTAssertEqual(try stored(Int64.max), Int64.max.databaseValue)
        XCTAssertEqual(try stored(UInt8(1)), 1.databaseValue)
        XCTAssertEqual(try stored(UInt16(1)), 1.databaseValue)
        XCTAssertEqual(try stored(UInt32(1)), 1.databaseValue)
        XCTAssertEqual(try stored(UInt64(1)), 1.databaseValue)
        XCTAssertEqual(try stored(UInt(1)), 1.databaseValue)
        XCTAssertEqual(try stored(Float(0.5)), 0.5.databaseValue)
        XCTAssertEqual(try stored(0.5), 0.5.databaseValue)
        XCTAssertEqual(try stored("a"), "a".databaseValue)
        XCTAssertEqual(try stored(Color.red), "red".databaseValue)
        XCTAssertEqual(try stored(Size.small), 1.databaseValue)
        XCTAssertEqual(try stored(Data([1])), Data([1]).databaseValue)
        XCTAssertEqual(try stored(URL(string: "https://a.b")), "https://a.b".databaseValue)
        let date = Date(timeIntervalSince1970: 0)
        XCTAssertEqual(try stored(date), "1970-01-01 00:00:00.000".databaseValue)
        let uuid = UUID()
        XCTAssertEqual(try stored(uuid), uuid.databaseValue)
    }

    func testOptionalsAreStoredAsTheirValueOrNull() throws {
        XCTAssertEqual(try stored(Int?.none), .null)
        XCTAssertEqual(try stored(Date?.none), .null)
        XCTAssertEqual(try stored(Address?.none), .null)
        XCTAssertEqual(try stored(Int?.some(1)), 1.databaseValue)
        XCTAssertEqual(try stored(Int??.some(nil)), .null)
        XCTAssertEqual(try stored(Int??.some(.some(1))), 1.databaseValue)
        XCTAssertEqual(try stored(Single(Int?.none)), .null)
        XCTAssertEqual(try stored(Date??.some(Date(timeIntervalSince1970: 0)))?.isNull, false)
    }

    func testNestedValuesAreStoredAsJSON() throws {
        let address = Address(street: "b", city: nil)
        XCTAssertEqual(try stored(address), #"{"street":"b"}"#.databaseValue)
        XCTAssertEqual(try stored([1, 2]), "[1,2]".databaseValue)
        XCTAssertEqual(try stored([Int]()), "[]".databaseValue)
        XCTAssertEqual(try stored(["b": 1, "a": 2]), #"{"a":2,"b":1}"#.databaseValue)
        XCTAssertEqual(try stored([String: Int]()), "{}".databaseValue)
        XCTAssertEqual(try stored(Single([address])), #"[{"street":"b"}]"#.databaseValue)
        XCTAssertEqual(try stored([Int]??.some([1])), "[1]".databaseValue)
        let dates = [Date(timeIntervalSince1970: 1)]
        XCTAssertEqual(try stored(dates), "[1000]".databaseValue)
    }

    func testStoredValuesCanBeDecoded() throws {
        struct Everything: Codable, Equatable, FetchableRecord, PersistableRecord {
            var id = 1
            var text: String? = "é"
            var address = Address(street: "a", city: "b")
            var tags = ["x", "y"]
            var nested: [String: [Int]]? = ["a": [1]]
            var date = Date(timeIntervalSince1970: 1.5)
            var data: Data? = Data([0, 255])
            var uuid = UUID()
            var none: Address?
        }
        try DatabaseQueue().write { db in
            try db.execute(
                sql: """
                    CREATE TABLE everything(
                        id INTEGER PRIMARY KEY, text, address, tags, nested, date, data, uuid, none)
                    """)
            let record = Everything()
            try record.insert(db)
            XCTAssertEqual(try Everything.fetchAll(db), [record])
        }
    }

    func testSingleValuesFollowTheStrategyOfTheirColumn() throws {
        struct Dates: Strategic {
            var ms: Single<Date>, other: Single<Date?>, last: Date?
        }
        let date = Date(timeIntervalSince1970: 1.5)
        let dates = Dates(ms: Single(date), other: Single(date), last: date)
        XCTAssertEqual(
            try dates.databaseDictionary,
            [
                "ms": 1500.databaseValue, "other": "1970-01-01T00:00:01Z".databaseValue,
                "last": "1970-01-01T00:00:01Z".databaseValue,
            ])
    }

    func testDatesFollowTheStrategyOfTheirColumn() throws {
        let date = Date(timeIntervalSince1970: -1.25)
        func value(_ strategy: DatabaseDateEncodingStrategy) throws -> DatabaseValue? {
            enum Current {
                nonisolated(unsafe) static var strategy = DatabaseDateEncodingStrategy.deferredToDate
            }
            struct Dated: Encodable, EncodableRecord {
                var date: Date
                static func databaseDateEncodingStrategy(for column: String)
                    -> DatabaseDateEncodingStrategy
                { Current.strategy }
            }
            Current.strategy = strategy
            return try Dated(date: date).databaseDictionary["date"]
        }
        XCTAssertEqual(try value(.deferredToDate), "1969-12-31 23:59:58.750".databaseValue)
        XCTAssertEqual(try value(.timeIntervalSince1970), (-1.25).databaseValue)
        XCTAssertEqual(
            try value(.timeIntervalSinceReferenceDate), date.timeIntervalSinceReferenceDate.databaseValue)
        XCTAssertEqual(try value(.secondsSince1970), (-2).databaseValue)
        XCTAssertEqual(try value(.millisecondsSince1970), (-1250).databaseValue)
        XCTAssertEqual(try value(.custom { _ in "custom" }), "custom".databaseValue)
        XCTAssertEqual(try value(.custom { _ in nil }), .null)
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.dateFormat = "yyyy/MM/dd"
        XCTAssertEqual(try value(.formatted(formatter)), "1969/12/31".databaseValue)
    }

    func testStoredDatesAreEqualToFetchedOnes() throws {
        struct Dated: Codable, Equatable, FetchableRecord, PersistableRecord {
            var id: Int64, ms: Date, interval: Date, seconds: Date, iso: Date
            static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy {
                switch column {
                case "ms": .millisecondsSince1970
                case "interval": .timeIntervalSince1970
                case "seconds": .secondsSince1970
                default: .iso8601
                }
            }
            static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy {
                switch column {
                case "ms": .millisecondsSince1970
                case "interval", "seconds": .timeIntervalSince1970
                default: .iso8601
                }
            }
        }
        try DatabaseQueue().write { db in
            try db.execute(
                sql: "CREATE TABLE dated(id INTEGER PRIMARY KEY, ms, interval, seconds, iso)")
            for id in Int64(0)..<300 {
                let ms = id * 4_000_000_007
                let date = Date(timeIntervalSince1970: Double(ms) / 1000)
                let second = Date(timeIntervalSince1970: Double(ms / 1000))
                let record = Dated(id: id, ms: date, interval: date, seconds: second, iso: second)
                try record.insert(db)
                XCTAssertEqual(try Dated.fetchOne(db, key: id), record)
                XCTAssertEqual(try record.databaseDictionary["ms"], ms.databaseValue)
            }
        }
    }

    func testUUIDsAndDataFollowTheStrategyOfTheirColumn() throws {
        struct Values: Strategic {
            var lower: UUID, upper: UUID?
            var fixed: Data, text: Data
        }
        let uuid = UUID()
        let values = Values(lower: uuid, upper: uuid, fixed: Data([1]), text: Data("a".utf8))
        XCTAssertEqual(
            try values.databaseDictionary,
            [
                "lower": uuid.uuidString.lowercased().databaseValue, "upper": uuid.uuidString.databaseValue,
                "fixed": .null, "text": "a".databaseValue,
            ])
        let marked = Values(lower: uuid, upper: nil, fixed: Data(), text: Data("\u{feff}a".utf8))
        XCTAssertEqual(try marked.databaseDictionary["text"], "\u{feff}a".databaseValue)
        let invalid = Values(lower: uuid, upper: nil, fixed: Data(), text: Data([0xff]))
        XCTAssertThrowsError(try invalid.databaseDictionary) { XCTAssertTrue($0 is EncodingError) }
    }

    func testColumnNamesFollowTheStrategyOfTheRecord() throws {
        struct Snake: Encodable, EncodableRecord {
            static var databaseColumnEncodingStrategy: DatabaseColumnEncodingStrategy { .convertToSnakeCase }
            var id = 1, teamId = 2, imageURLPath = 3, _privateName = 4, htmlURL = 5
            var isP2PEnabled = 6, imageB64URL = 7, aB2C = 8
        }
        XCTAssertEqual(
            Set(try Snake().databaseDictionary.keys),
            [
                "id", "team_id", "image_url_path", "_private_name", "html_url", "is_p2p_enabled",
                "image_b64url", "a_b2c",
            ])
        struct Custom: Encodable, EncodableRecord {
            static var databaseColumnEncodingStrategy: DatabaseColumnEncodingStrategy {
                .custom { "_" + $0.stringValue }
            }
            var id = 1
            var tags = [1]
        }
        XCTAssertEqual(
            try Custom().databaseDictionary, ["_id": 1.databaseValue, "_tags": "[1]".databaseValue])
    }

    func testJSONEncoderAndUserInfoAreThoseOfTheColumn() throws {
        struct Informed: Encodable {
            func encode(to encoder: any Encoder) throws {
                let key = try XCTUnwrap(CodingUserInfoKey(rawValue: "name"))
                var container = encoder.unkeyedContainer()
                try container.encode(encoder.userInfo[key] as? String)
            }
        }
        struct Configured: Encodable, EncodableRecord {
            static var databaseEncodingUserInfo: [CodingUserInfoKey: Any] {
                CodingUserInfoKey(rawValue: "name").map { [$0: "Vigil"] } ?? [:]
            }
            static func databaseJSONEncoder(for column: String) -> JSONEncoder {
                let encoder = JSONEncoder()
                encoder.dateEncodingStrategy = column == "a" ? .secondsSince1970 : .millisecondsSince1970
                return encoder
            }
            var a = [Date(timeIntervalSince1970: 2)], b = [Date(timeIntervalSince1970: 2)]
        }
        XCTAssertEqual(
            try Configured().databaseDictionary, ["a": "[2]".databaseValue, "b": "[2000]".databaseValue])
        struct Named: Encodable, EncodableRecord {
            static var databaseEncodingUserInfo: [CodingUserInfoKey: Any] {
                CodingUserInfoKey(rawValue: "name").map { [$0: "Vigil"] } ?? [:]
            }
            var informed = Informed()
        }
        XCTAssertEqual(try Named().databaseDictionary, ["informed": #"["Vigil"]"#.databaseValue])
    }

    func testNestedContainersAreStoredAsJSON() throws {
        struct Nested: Encodable, EncodableRecord {
            enum Key: String, CodingKey { case id, place, list, x, inner }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: Key.self)
                var place = container.nestedContainer(keyedBy: Key.self, forKey: .place)
                try place.encode(1, forKey: .x)
                try place.encodeNil(forKey: .id)
                var inner = place.nestedUnkeyedContainer(forKey: .inner)
                try inner.encode(Date(timeIntervalSince1970: 1))
                try container.encode(7, forKey: .id)
                var list = container.nestedUnkeyedContainer(forKey: .list)
                try list.encode("a")
                var element = list.nestedContainer(keyedBy: Key.self)
                try element.encode(2, forKey: .x)
                XCTAssertEqual(list.count, 2)
            }
        }
        XCTAssertEqual(
            try Nested().databaseDictionary,
            [
                "id": 7.databaseValue, "place": #"{"id":null,"inner":[1000],"x":1}"#.databaseValue,
                "list": #"["a",{"x":2}]"#.databaseValue,
            ])
    }

    func testNestedContainersOfOneKeyAreMerged() throws {
        struct Nested: Encodable, EncodableRecord {
            enum Key: String, CodingKey { case place, list, x, y, inner }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: Key.self)
                for key in [Key.x, .y] {
                    var place = container.nestedContainer(keyedBy: Key.self, forKey: .place)
                    try place.encode(1, forKey: key)
                    var inner = place.nestedContainer(keyedBy: Key.self, forKey: .inner)
                    try inner.encode(2, forKey: key)
                    var list = container.nestedUnkeyedContainer(forKey: .list)
                    try list.encode(key.rawValue)
                }
            }
        }
        XCTAssertEqual(
            try Nested().databaseDictionary,
            [
                "place": #"{"inner":{"x":2,"y":2},"x":1,"y":1}"#.databaseValue,
                "list": #"["x","y"]"#.databaseValue,
            ])
    }

    func testEncodersOfSuperclassesInNestedContainersHaveTheUserInfo() throws {
        class Base: Encodable {
            enum Key: CodingKey { case name, nested }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: Key.self)
                let name = CodingUserInfoKey(rawValue: "name").flatMap { encoder.userInfo[$0] } as? String
                try container.encode(name, forKey: .name)
            }
        }
        final class Derived: Base, EncodableRecord {
            static var databaseEncodingUserInfo: [CodingUserInfoKey: Any] {
                CodingUserInfoKey(rawValue: "name").map { [$0: "Vigil"] } ?? [:]
            }
            override func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: Key.self)
                var nested = container.nestedContainer(keyedBy: Key.self, forKey: .nested)
                try super.encode(to: nested.superEncoder())
            }
        }
        XCTAssertEqual(
            try Derived().databaseDictionary, ["nested": #"{"super":{"name":"Vigil"}}"#.databaseValue])
    }

    func testSuperclassesHaveColumnsOfTheirOwn() throws {
        class Base: Encodable {
            var id = 1
        }
        final class Derived: Base, EncodableRecord {
            enum Key: CodingKey { case name }
            override func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: Key.self)
                try container.encode("a", forKey: .name)
                try super.encode(to: container.superEncoder())
            }
        }
        XCTAssertEqual(
            try Derived().databaseDictionary, ["id": 1.databaseValue, "name": "a".databaseValue])
    }

    func testAWrapperAroundARecordHasTheColumnsOfTheRecord() throws {
        struct Inner: Strategic { var ms = Date(timeIntervalSince1970: 1) }
        struct Outer: Encodable, EncodableRecord {
            func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                try container.encode(Inner())
            }
        }
        XCTAssertEqual(try Outer().databaseDictionary, ["ms": 1000.databaseValue])
    }

    func testRecordsWithoutKeysCannotBeEncoded() throws {
        struct Listed: Encodable, EncodableRecord {
            func encode(to encoder: any Encoder) throws {
                var container = encoder.unkeyedContainer()
                try container.encode(1)
            }
        }
        struct Valued: Encodable, EncodableRecord {
            func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                try container.encode(1)
            }
        }
        XCTAssertThrowsError(try Listed().databaseDictionary) { XCTAssertTrue($0 is EncodingError) }
        XCTAssertThrowsError(try Valued().databaseDictionary) { XCTAssertTrue($0 is EncodingError) }
    }

    func testFailuresLeaveTheEncoderUsable() throws {
        struct Refused: Error {}
        struct Failing: Encodable, PersistableRecord {
            static let databaseTableName = "box"
            var value: Int
            var isRefused: Bool
            enum Key: CodingKey { case value, first }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: Key.self)
                try container.encode(value, forKey: .value)
                if isRefused {
                    _ = container.nestedUnkeyedContainer(forKey: .first)
                    _ = encoder.unkeyedContainer()
                    throw Refused()
                }
                try container.encode("x", forKey: .first)
            }
        }
        try DatabaseQueue().write { db in
            try db.execute(sql: "CREATE TABLE box(value, first)")
            try Failing(value: 1, isRefused: false).insert(db)
            XCTAssertThrowsError(try Failing(value: 2, isRefused: true).insert(db)) {
                XCTAssertTrue($0 is Refused)
            }
            try Failing(value: 3, isRefused: false).insert(db)
            XCTAssertEqual(
                try Row.fetchAll(db, sql: "SELECT * FROM box"),
                [["value": 1, "first": "x"], ["value": 3, "first": "x"]])
        }
    }
}
