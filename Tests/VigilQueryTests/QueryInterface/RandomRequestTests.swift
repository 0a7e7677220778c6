import Vigil
import XCTest

/// Builds random requests, and compares their rows with the same query evaluated in Swift.
final class RandomRequestTests: XCTestCase {
    private struct Item: TableRecord, FetchableRecord, Codable, Hashable {
        var id: Int64
        var a: Int?
        var b: Int
        var text: String
    }

    /// A condition as an expression and as a closure, in which `nil` is NULL.
    private struct Condition {
        var sql: SQLExpression
        var holds: (Item) -> Bool?
    }

    private struct Number {
        var sql: SQLExpression
        var value: (Item) -> Int?
    }

    private struct Generator {
        private var numbers: SeededNumbers

        init(seed: UInt64) { numbers = SeededNumbers(seed: seed) }

        mutating func next(_ bound: Int) -> Int { numbers.next(bound) }

        mutating func number(_ depth: Int) -> Number {
            switch next(depth > 0 ? 8 : 4) {
            case 0: return Number(sql: Column("id").sqlExpression) { Int($0.id) }
            case 1: return Number(sql: Column("a").sqlExpression) { $0.a }
            case 2: return Number(sql: Column("b").sqlExpression) { $0.b }
            case 3:
                let constant = next(9) - 4
                return Number(sql: constant.sqlExpression) { _ in constant }
            case 4:
                let (x, y) = (number(depth - 1), number(depth - 1))
                return Number(sql: x.sql + y.sql) { item in
                    x.value(item).flatMap { v in y.value(item).map { v + $0 } }
                }
            case 5:
                let (x, y) = (number(depth - 1), number(depth - 1))
                return Number(sql: x.sql - y.sql) { item in
                    x.value(item).flatMap { v in y.value(item).map { v - $0 } }
                }
            case 6:
                let x = number(depth - 1)
                return Number(sql: -x.sql) { item in x.value(item).map { -$0 } }
            default:
                let (x, constant) = (number(depth - 1), next(5))
                return Number(sql: x.sql ?? constant) { x.value($0) ?? constant }
            }
        }

        mutating func condition(_ depth: Int) -> Condition {
            switch next(depth > 0 ? 9 : 5) {
            case 0, 1: return comparison(depth)
            case 2:
                let x = number(depth)
                return Condition(sql: x.sql == nil) { x.value($0) == nil }
            case 3: return membership(depth)
            case 4:
                let prefix = ["a", "B", "ab", ""][next(4)]
                return Condition(sql: Column("text").like(prefix + "%")) {
                    $0.text.lowercased().hasPrefix(prefix.lowercased())
                }
            case 5, 6:
                let (x, y) = (condition(depth - 1), condition(depth - 1))
                return Condition(sql: x.sql && y.sql) { item in
                    switch (x.holds(item), y.holds(item)) {
                    case (false, _), (_, false): false
                    case (true, true): true
                    default: nil
                    }
                }
            case 7:
                let (x, y) = (condition(depth - 1), condition(depth - 1))
                return Condition(sql: x.sql || y.sql) { item in
                    switch (x.holds(item), y.holds(item)) {
                    case (true, _), (_, true): true
                    case (false, false): false
                    default: nil
                    }
                }
            default:
                let x = condition(depth - 1)
                return Condition(sql: !x.sql) { item in x.holds(item).map { !$0 } }
            }
        }

        private mutating func comparison(_ depth: Int) -> Condition {
            let (x, y) = (number(depth), number(depth))
            let compare: (SQLExpression, (Int, Int) -> Bool)
            switch next(6) {
            case 0: compare = (x.sql == y.sql, { $0 == $1 })
            case 1: compare = (x.sql != y.sql, { $0 != $1 })
            case 2: compare = (x.sql < y.sql, { $0 < $1 })
            case 3: compare = (x.sql <= y.sql, { $0 <= $1 })
            case 4: compare = (x.sql > y.sql, { $0 > $1 })
            default: compare = (x.sql >= y.sql, { $0 >= $1 })
            }
            return Condition(sql: compare.0) { item in
                x.value(item).flatMap { v in y.value(item).map { compare.1(v, $0) } }
            }
        }

        private mutating func membership(_ depth: Int) -> Condition {
            let x = number(depth)
            if next(2) == 0 {
                let values = (0..<next(4)).map { _ in next(9) - 4 }
                return Condition(sql: values.contains(x.sql)) { item in
                    values.isEmpty ? false : x.value(item).map { values.contains($0) }
                }
            }
            let lower = next(5) - 2
            let range = lower...(lower + next(4))
            return Condition(sql: range.contains(x.sql)) { item in x.value(item).map { range.contains($0) } }
        }
    }

    private func makeItems(_ generator: inout Generator) -> [Item] {
        (1...30).map { id in
            Item(
                id: Int64(id), a: generator.next(4) == 0 ? nil : generator.next(7) - 3, b: generator.next(5),
                text: ["a", "B", "abc", "", "Ab"][generator.next(5)])
        }
    }

    func testRequestsHaveTheRowsOfTheSameQueryInSwift() throws {
        let seed = randomSeed("RandomRequestTests")
        var generator = Generator(seed: seed)
        let items = makeItems(&generator)
        let dbQueue = try DatabaseQueue()
        try dbQueue.write { db in
            try db.execute(
                sql:
                    "CREATE TABLE item(id INTEGER PRIMARY KEY, a INTEGER, b INTEGER NOT NULL, text TEXT NOT NULL)"
            )
            for item in items {
                try db.execute(
                    sql: "INSERT INTO item VALUES (?, ?, ?, ?)",
                    arguments: [item.id, item.a, item.b, item.text])
            }
        }
        try dbQueue.read { db in
            for round in 0..<400 {
                try compare(items, db, &generator, "seed \(seed), round \(round)")
            }
        }
    }

    private func compare(_ items: [Item], _ db: Database, _ generator: inout Generator, _ label: String)
        throws
    {
        let conditions = (0..<generator.next(3)).map { _ in generator.condition(2) }
        let order = generator.number(1)
        let isReversed = generator.next(2) == 0
        let limit = generator.next(3) == 0 ? (generator.next(10), generator.next(5)) : nil
        var request = conditions.reduce(Item.all()) { $0.filter($1.sql) }.order(order.sql, Column("id"))
        if isReversed { request = request.reversed() }
        if let limit { request = request.limit(limit.0, offset: limit.1) }

        var expected = items.filter { item in conditions.allSatisfy { $0.holds(item) == true } }
        expected.sort { x, y in
            let (i, j) = (order.value(x) ?? .min, order.value(y) ?? .min)
            return i == j ? x.id < y.id : i < j
        }
        if isReversed { expected.reverse() }
        if let limit { expected = Array(expected.dropFirst(limit.1).prefix(limit.0)) }

        let sql = try request.makePreparedRequest(db).statement.sql
        XCTAssertEqual(try request.fetchAll(db), expected, "\(label): \(sql)")
        XCTAssertEqual(try request.fetchOne(db), expected.first, "\(label): \(sql)")
        XCTAssertEqual(try request.fetchCount(db), expected.count, "\(label): \(sql)")
        XCTAssertEqual(try request.isEmpty(db), expected.isEmpty, "\(label): \(sql)")
        let values = try request.select(Column("b"), as: Int.self).unordered().distinct().limit(100).fetchSet(
            db)
        if limit == nil { XCTAssertEqual(values, Set(expected.map(\.b)), "\(label): \(sql)") }
        let distinct = request.select(Column("a")).unordered().distinct()
        if limit == nil {
            XCTAssertEqual(try distinct.fetchCount(db), Set(expected.map(\.a)).count, "\(label): \(sql)")
        }
    }
}
