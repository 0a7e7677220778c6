#if PostgreSQL
    import Foundation
    import Vigil
    import XCTest

    private let id = Column("id")
    private let nickname = Column("name")
    private let score = Column("score")
    private let rating = Column("rating")
    private let isActive = Column("isActive")
    private let teamId = Column("teamId")

    /// Orders, selections, groups and common table expressions. Their results must equal SQLite's.
    final class SelectionComparisonTests: ComparisonTestCase {
        override func createTables(_ db: Database) throws {
            try League.createTables(db)
            try League.insertRows(db)
        }

        private func assertSameRows(
            _ requests: [QueryInterfaceRequest<Player>], file: StaticString = #filePath, line: UInt = #line
        ) {
            for request in requests {
                assertSameReads(file: file, line: line) { db in
                    let rows = try Row.fetchAll(db, request.asRequest(of: Row.self))
                    return rows.map { "\($0)" } + ["count: \(try request.fetchCount(db))"]
                }
            }
        }

        func testOrdersAndLimits() {
            assertSameRows([
                Player.order(score, id), Player.order(score.desc, id.desc),
                Player.order(rating.ascNullsLast, id),
                Player.order(rating.descNullsFirst, id), Player.order(id).reversed(),
                Player.all().orderByPrimaryKey(),
                Player.order(id).limit(2), Player.order(id).limit(2, offset: 1),
                Player.order(sql: "score + id"),
                Player.orderByPrimaryKey().reversed().limit(1), Player.order(abs(score).desc, id.asc),
                Player.all().reversed(),
            ])
        }

        func testSelections() {
            assertSameRows([
                Player.select(nickname, score).order(id),
                Player.select(sql: "name AS n, score + 1 AS next").order(id),
                Player.select(score).distinct().order(score),
                Player.select(teamId).distinct().order(teamId.ascNullsLast),
                Player.all().annotated(with: (score * 2).forKey("double")).order(id),
                Player.select(.allColumns(excluding: ["joined"])).order(id),
                Player.select(
                    count(rating).forKey("a"), count(distinct: score).forKey("b"), min(score).forKey("c"),
                    max(score).forKey("d"), sum(score).forKey("e")),
                Player.select(
                    sum(score, filter: isActive).forKey("a"), max(rating, filter: score > 5).forKey("b")),
                Player.select(length(nickname).forKey("length"), abs(score).forKey("size")).order(id),
            ])
        }

        func testGroups() {
            assertSameRows([
                Player.select(score, count(id).forKey("n")).group(score).order(score),
                Player.select(teamId, sum(score).forKey("n")).group(teamId).having(sum(score) > 0).order(
                    teamId.ascNullsLast),
                Player.select(isActive, count(distinct: score).forKey("n")).group(isActive).order(isActive),
                Player.select(score).group(score).having(count(id) > 1).order(score),
            ])
        }

        func testNumbersAreDecodedAsTheirSwiftTypes() {
            assertSameReads { db in
                var results: [String] = []
                results.append(
                    "\(String(describing: try Player.select(average(score), as: Double.self).fetchOne(db)))")
                results.append(
                    "\(String(describing: try Player.select(average(rating), as: Double.self).fetchOne(db)))")
                results.append(
                    "\(String(describing: try Player.select(sum(score), as: Double.self).fetchOne(db)))")
                results.append(
                    "\(String(describing: try Player.select(sum(score), as: Int.self).fetchOne(db)))")
                results.append(
                    "\(String(describing: try Player.select(total(score), as: Double.self).fetchOne(db)))")
                results.append(
                    "\(String(describing: try Player.none().select(total(score), as: Double.self).fetchOne(db)))"
                )
                results.append(
                    "\(String(describing: try Player.none().select(sum(score), as: Double.self).fetchOne(db)))"
                )
                let row = try Row.fetchOne(
                    db, Player.select(average(score).forKey("a"), max(rating).forKey("m")))
                results.append("\(row?["a"] as Double? ?? -1) \(row?["m"] as Double? ?? -1)")
                results.append("\(row?["a"] as Int? ?? -1) \(row?["a"] as Float? ?? -1)")
                return results
            }
        }

        func testCommonTableExpressions() {
            assertSameReads { db in
                let best = CommonTableExpression(
                    named: "best", request: Player.select(Column("id"), Column("score")).filter(score > 50))
                let request = Player.all().with(best)
                    .filter(best.all().select(id).contains(id)).order(id)
                let counter = CommonTableExpression<Row>(
                    recursive: true, named: "counter", columns: ["n"],
                    literal: "VALUES(1) UNION ALL SELECT n + 1 FROM counter WHERE n < 5")
                let numbers = try Row.fetchAll(db, counter.all().with(counter))
                let association = Player.association(to: best) { player, best in
                    player[Column("id")] == best[Column("id")]
                }
                let joined = try Row.fetchAll(
                    db, Player.select(Column("name")).with(best).including(required: association).order(id))
                return try request.fetchAll(db).map { "\($0)" } + numbers.map { "\($0)" }
                    + joined.map { $0.debugDescription } + ["\(try request.fetchCount(db))"]
            }
        }

        func testMembershipInCommonTableExpressions() {
            assertSameReads { db in
                let best = CommonTableExpression<Int64>(
                    named: "best", request: Player.select(id).filter(score > 50))
                let members = Player.with(best).filter(best.contains(id)).order(id)
                let others = Player.with(best).filter(!best.contains(id)).order(id)
                return try (members.fetchAll(db) + others.fetchAll(db)).map { "\($0)" }
            }
        }

        func testSQLRequests() {
            assertSameReads { db in
                let minimum = 50
                let request: SQLRequest<Player> = "SELECT * FROM player WHERE score > \(minimum) ORDER BY id"
                let names: SQLRequest<String> =
                    "SELECT name FROM \(Player.self) WHERE id IN \([1, 3]) ORDER BY id"
                let subquery: SQLRequest<Int> = "SELECT MAX(score) FROM player"
                let best = try Player.filter(literal: "score = (\(subquery))").fetchAll(db)
                return try request.fetchAll(db).map { "\($0)" } + names.fetchAll(db)
                    + best.map { "\($0)" } + ["\(try request.fetchCount(db))"]
            }
        }
    }
#endif
