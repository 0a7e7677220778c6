import Foundation
import Vigil
import XCTest

/// Strategies that distinguish columns: dates of `ms` are milliseconds, all others are seconds since 2001;
/// the data of `fixed` is always the same.
private protocol Strategic: Decodable, FetchableRecord {}

extension Strategic {
    static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy {
        column.lowercased() == "ms" ? .millisecondsSince1970 : .timeIntervalSinceReferenceDate
    }
    static func databaseDataDecodingStrategy(for column: String) -> DatabaseDataDecodingStrategy {
        column.lowercased() == "fixed" ? .custom { _ in Data([7]) } : .deferredToData
    }
}

private struct Single<Value: Decodable>: Decodable {
    var value: Value
    init(from decoder: any Decoder) throws { value = try decoder.singleValueContainer().decode(Value.self) }
}

private struct Stamp: RawRepresentable, Decodable {
    var rawValue: Date
    init(rawValue: Date) { self.rawValue = rawValue }
    init(from decoder: any Decoder) throws {
        rawValue = try decoder.singleValueContainer().decode(Date.self)
    }
}

/// Decodes its properties with `decode`, even if `Value` is optional.
private struct Fields<Value: Decodable>: Strategic {
    enum CodingKeys: CodingKey { case ms, fixed, other }
    var ms: Value?, fixed: Value?, other: Value?
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        ms = container.contains(.ms) ? try container.decode(Value.self, forKey: .ms) : nil
        fixed = container.contains(.fixed) ? try container.decode(Value.self, forKey: .fixed) : nil
        other = container.contains(.other) ? try container.decode(Value.self, forKey: .other) : nil
    }
}

private struct Root<Value: Decodable>: Strategic {
    var value: Value
    init(from decoder: any Decoder) throws { value = try decoder.singleValueContainer().decode(Value.self) }
}

final class RecordStrategyTests: XCTestCase {
    private let millisecond = Date(timeIntervalSince1970: 1.5)
    private let reference = Date(timeIntervalSinceReferenceDate: 1500)

    private func fetch<T: FetchableRecord>(
        _ type: T.Type, _ sql: String, adapter: (any RowAdapter)? = nil
    ) throws -> [T] {
        try DatabaseQueue().read { try T.fetchAll($0, sql: sql, adapter: adapter) }
    }

    func testDatesInSingleValueContainersFollowTheStrategyOfTheirColumn() throws {
        let sql = "SELECT 1500 AS MS, 1500 AS other"
        let singles = try fetch(Fields<Single<Date>>.self, sql)
        XCTAssertEqual(singles.map(\.ms?.value), [millisecond])
        XCTAssertEqual(singles.map(\.other?.value), [reference])
        XCTAssertEqual(
            try fetch(Fields<Single<Single<Date>>>.self, sql).map(\.ms?.value.value), [millisecond])
        XCTAssertEqual(try fetch(Fields<Single<Date?>>.self, sql).map(\.ms?.value), [millisecond])
        XCTAssertEqual(try fetch(Fields<Stamp>.self, sql).map(\.ms?.rawValue), [millisecond])
    }

    func testDataInSingleValueContainersFollowsTheStrategyOfItsColumn() throws {
        let sql = "SELECT x'01' AS fixed, x'02' AS other"
        let singles = try fetch(Fields<Single<Data>>.self, sql)
        XCTAssertEqual(singles.map(\.fixed?.value), [Data([7])])
        XCTAssertEqual(singles.map(\.other?.value), [Data([2])])
        XCTAssertEqual(try fetch(Fields<Single<Data?>>.self, sql).map(\.fixed?.value), [Data([7])])
    }

    func testOptionalDatesAndDataFollowTheStrategyHoweverTheyAreDecoded() throws {
        let dates = try fetch(Fields<Date?>.self, "SELECT 1500 AS ms UNION ALL SELECT NULL")
        XCTAssertEqual(dates.map(\.ms), [.some(millisecond), .some(nil)])
        let data = try fetch(Fields<Data?>.self, "SELECT x'01' AS fixed UNION ALL SELECT NULL")
        XCTAssertEqual(data.map(\.fixed), [.some(Data([7])), .some(nil)])
        let nulls = try fetch(Fields<Single<Date?>>.self, "SELECT NULL AS ms")
        XCTAssertEqual(nulls.map(\.ms?.value), [.some(nil)])
        XCTAssertThrowsError(try fetch(Fields<Date>.self, "SELECT NULL AS ms"))
        XCTAssertThrowsError(try fetch(Fields<Single<Date>>.self, "SELECT NULL AS ms"))
        XCTAssertThrowsError(try fetch(Fields<Single<Data>>.self, "SELECT NULL AS fixed"))
    }

    func testDatesAndDataAtTheRootFollowTheStrategyOfTheFirstColumn() throws {
        XCTAssertEqual(
            try fetch(Root<Date>.self, "SELECT 1500 AS ms, 0 AS other").map(\.value), [millisecond])
        XCTAssertEqual(
            try fetch(Root<Date?>.self, "SELECT 1500 AS other UNION ALL SELECT NULL").map(\.value),
            [reference, nil])
        XCTAssertEqual(
            try fetch(Root<Single<Date>>.self, "SELECT 1500 AS ms").map(\.value.value), [millisecond])
        XCTAssertEqual(try fetch(Root<Data>.self, "SELECT x'01' AS fixed").map(\.value), [Data([7])])
        XCTAssertEqual(try fetch(Root<Data>.self, "SELECT x'01' AS other").map(\.value), [Data([1])])
    }

    func testDatesOfScopesFollowTheStrategyOfTheEnclosingRecord() throws {
        struct Event: Decodable { var ms: Date, other: Single<Date>, fixed: Single<Data>? }
        struct Info: Strategic { var event: Event }
        let infos = try fetch(
            Info.self, "SELECT 1500 AS ms, 1500 AS other, x'01' AS fixed",
            adapter: EmptyRowAdapter().addingScopes(["event": RangeRowAdapter(0..<3)]))
        XCTAssertEqual(infos.map(\.event.ms), [millisecond])
        XCTAssertEqual(infos.map(\.event.other.value), [reference])
        XCTAssertEqual(infos.map(\.event.fixed?.value), [Data([7])])
    }

    func testDatesOfPrefetchedRowsFollowTheStrategyOfTheEnclosingRecord() throws {
        struct Shelf: Strategic {
            var dates: [Date], optionals: [Date?], stamps: [Stamp], links: [URL], data: [Data]
        }
        let row: Row = ["id": 1]
        row.prefetchedRows.setRows([["ms": 1500], ["ms": 1500]], forKeyPath: ["dates"])
        row.prefetchedRows.setRows([["ms": 1500], ["ms": nil]], forKeyPath: ["optionals"])
        row.prefetchedRows.setRows([["other": 1500]], forKeyPath: ["stamps"])
        row.prefetchedRows.setRows([["link": "https://a.b/"]], forKeyPath: ["links"])
        row.prefetchedRows.setRows([["fixed": Data([1])], ["other": Data([1])]], forKeyPath: ["data"])
        let shelf = try Shelf(row: row)
        XCTAssertEqual(shelf.dates, [millisecond, millisecond])
        XCTAssertEqual(shelf.optionals, [millisecond, nil])
        XCTAssertEqual(shelf.stamps.map(\.rawValue), [reference])
        XCTAssertEqual(shelf.links, [URL(string: "https://a.b/")])
        XCTAssertEqual(shelf.data, [Data([7]), Data([1])])
    }

    func testStrategiesReceiveColumnNamesInTheSpellingOfTheKeys() throws {
        struct Event: Decodable, FetchableRecord {
            static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy {
                ["date", "single"].contains(column) ? .millisecondsSince1970 : .deferredToDate
            }
            static func databaseJSONDecoder(for column: String) -> JSONDecoder {
                let decoder = JSONDecoder()
                decoder.dateDecodingStrategy = column == "list" ? .millisecondsSince1970 : .secondsSince1970
                return decoder
            }
            var date: Date, single: Single<Date>, list: [Date]
        }
        let sql = "SELECT 1500 AS DATE, 1500 AS Single, '[1500]' AS LIST"
        let events = try fetch(Event.self, "\(sql) UNION ALL \(sql)")
        XCTAssertEqual(events.map(\.date), [millisecond, millisecond])
        XCTAssertEqual(events.map(\.single.value), [millisecond, millisecond])
        XCTAssertEqual(events.map(\.list), [[millisecond], [millisecond]])
    }

    func testFormattedDatesAreReadInSingleValueContainers() throws {
        struct Formatted: Decodable, FetchableRecord {
            static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy {
                let formatter = DateFormatter()
                formatter.locale = Locale(identifier: "en_US_POSIX")
                formatter.timeZone = TimeZone(secondsFromGMT: 0)
                formatter.dateFormat = "dd/MM/yyyy"
                return column == "iso" ? .iso8601 : .formatted(formatter)
            }
            var iso: Single<Date>, day: Single<Date>, none: Single<Date>?
        }
        let sql = "SELECT '1970-01-02T00:00:00Z' AS iso, '02/01/1970' AS day, NULL AS none"
        let records = try fetch(Formatted.self, sql)
        XCTAssertEqual(records.map(\.iso.value), [Date(timeIntervalSince1970: 86400)])
        XCTAssertEqual(records.map(\.day.value), [Date(timeIntervalSince1970: 86400)])
        XCTAssertNil(records[0].none)
        XCTAssertThrowsError(try fetch(Formatted.self, "SELECT 'x' AS iso, 'y' AS day"))
    }
}
