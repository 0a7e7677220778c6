#if PostgreSQL
    import Foundation
    import Vigil
    import XCTest

    /// Requests of one table. Their results must equal SQLite's.
    final class RequestComparisonTests: ComparisonTestCase {
        override func createTables(_ db: Database) throws {
            try League.createTables(db)
            try League.insertRows(db)
        }

        private func assertSame(
            _ request: QueryInterfaceRequest<Player>, file: StaticString = #filePath, line: UInt = #line
        ) {
            assertSameReads(file: file, line: line) { db in
                let players = try request.fetchAll(db)
                return players.map { "\($0)" } + [
                    "first: \(String(describing: try request.fetchOne(db)))",
                    "count: \(try request.fetchCount(db))", "is empty: \(try request.isEmpty(db))",
                ]
            }
        }

        func testNegativeLimitsMeanAllRows() {
            let numbers: [(limit: Int, offset: Int?)] = [(2, nil), (-1, nil), (-5, 1), (1, -1), (-1, -1)]
            for (limit, offset) in numbers {
                assertSame(Player.order(Column("id")).limit(limit, offset: offset))
                assertSameReads { db in
                    let players: SQLRequest<Player> = "SELECT * FROM player ORDER BY id"
                    return try players.limit(limit, offset: offset).fetchAll(db).map { "\($0)" }
                }
            }
        }

        func testFilters() {
            let (id, name, score) = (Column("id"), Column("name"), Column("score"))
            let (rating, isActive, teamId) = (Column("rating"), Column("isActive"), Column("teamId"))
            let joined = Column("joined")
            let requests: [QueryInterfaceRequest<Player>] = [
                Player.all(), Player.none(), Player.filter(key: 2), Player.filter(keys: [1, 3, 99]),
                Player.filter(id: 1), Player.filter(ids: [1, 2]), Player.filter(keys: [] as [Int]),
                Player.filter(key: ["id": 1]), Player.filter(score > 50), Player.filter(score == 100),
                Player.filter(score != 100), Player.filter(rating == nil), Player.filter(rating != nil),
                Player.filter(rating === 1.5), Player.filter(rating !== 1.5),
                Player.filter(isActive), Player.filter(!isActive), Player.filter(isActive == true),
                Player.filter(isActive == false), Player.filter(isActive != true),
                Player.filter([1, 2, 3].contains(id)), Player.filter(![1, 2].contains(id)),
                Player.filter([Int]().contains(id)), Player.filter(![Int]().contains(id)),
                Player.filter((1...100).contains(score)), Player.filter(!(1..<100).contains(score)),
                Player.filter(score > 50 && isActive || name == "Craig"),
                Player.filter(score + 1 > 100), Player.filter(score * 2 == 200),
                Player.filter(score / 7 == 14), Player.filter(-score == 3),
                Player.filter(score & 4 == 4), Player.filter(score | 1 == 101),
                Player.filter(score << 1 == 200), Player.filter(score >> 1 == 50),
                Player.filter(abs(score) == 3), Player.filter(length(name) == 6),
                Player.filter(name.like("A%")), Player.filter(name.like("%r%A")),
                Player.filter(name.like("arthu_")),
                Player.filter(!name.like("A%")),
                Player.filter(name.like("%!_100!%", escape: "!")), Player.filter(name.like("%_1%")),
                Player.filter((rating ?? 0) == 0), Player.filter(coalesce([rating, score]) > 5),
                Player.filter(teamId == Team.filter(name == "Blues").select(id)),
                Player.filter(Team.filter(name == "Reds").select(id).contains(teamId)),
                Player.filter(Team.filter(name == "None").exists()),
                Player.filter(joined >= Date(timeIntervalSince1970: 1_700_000_002.125)),
                Player.filter(joined == Date(timeIntervalSince1970: 1_700_000_000.125)),
                Player.filter(sql: "score > ? AND name <> :name", arguments: [10] + ["name": "Craig"]),
                Player.filter(literal: "score BETWEEN \(0) AND \(120)"),
                Player.filter(cast(score, as: .text) == "100"), Player.filter(cast(rating, as: .real) > 2),
                Player.filter(iif(isActive, score, 0) == 100),
                Player.filter(max(score, 50) == 50), Player.filter(min(score, 50) == 50),
            ]
            for request in requests { assertSame(request.order(id)) }
        }
    }
#endif
