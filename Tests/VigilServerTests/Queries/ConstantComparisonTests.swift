#if PostgreSQL
    import Foundation
    import Vigil
    import XCTest

    private let id = Column("id")
    private let score = Column("score")
    private let rating = Column("rating")
    private let isActive = Column("isActive")
    private let nickname = Column("name")

    private struct Marked: Decodable, FetchableRecord {
        var id: Int64
        var isMarked: Bool
        var factor: Double
        var label: String
    }

    private struct Branch: Codable, FetchableRecord, PersistableRecord {
        static let workers = hasMany(Worker.self)
        var city: String
        var number: Int
    }

    private struct Worker: Codable, FetchableRecord, PersistableRecord {
        static let branch = belongsTo(Branch.self)
        var id: Int
        var branchCity: String
        var branchNumber: Int
    }

    private struct BranchInfo: Decodable, FetchableRecord {
        var branch: Branch
        var workers: [Worker]
    }

    /// Constants in requests, whose types a server infers from their use, with the same results as in SQLite.
    final class ConstantComparisonTests: ComparisonTestCase {
        override func createTables(_ db: Database) throws {
            try League.createTables(db)
            try League.insertRows(db)
            try db.create(table: "branch") { t in
                t.primaryKey {
                    t.column("city", Database.ColumnType(rawValue: "VARCHAR(12)"))
                    t.column("number", .integer)
                }
            }
            try db.create(table: "worker") { t in
                t.primaryKey("id", .integer)
                t.belongsTo("branch")
            }
        }

        private func assertSameValues(
            _ expressions: [any SQLSpecificExpressible], file: StaticString = #filePath, line: UInt = #line
        ) {
            for expression in expressions {
                let expression = expression.sqlExpression
                assertSameReads(file: file, line: line) { db in
                    let request = Player.select(expression.forKey("value")).order(id)
                    return try Row.fetchAll(db, request.asRequest(of: Row.self)).map { row in
                        let value: DatabaseValue = row["value"]
                        return "\(value)"
                    }
                }
            }
        }

        func testSelectedConstantsHaveTheirTypes() {
            assertSameValues([
                true.sqlExpression, 1.sqlExpression, 1.5.sqlExpression, "x".sqlExpression,
                Int64.min.sqlExpression, Data([1, 255]).sqlExpression, -(1.sqlExpression),
                1.sqlExpression + 2.sqlExpression, (1.5.sqlExpression) * (2.sqlExpression),
                2.sqlExpression == 2.0,
                abs((-3).sqlExpression), abs((-3.5).sqlExpression), max(1.sqlExpression, 2.sqlExpression),
                cast(1.5.sqlExpression, as: .text), iif(score > 50, 1, 2),
                iif(isActive, isActive, false),
            ])
            assertSameReads { db in
                let request = Player.select(
                    id, true.sqlExpression.forKey("isMarked"), 1.5.sqlExpression.forKey("factor"),
                    "x".sqlExpression.forKey("label"))
                return try Marked.fetchAll(db, request.order(id)).map { "\($0)" }
                    + Bool.fetchAll(db, Player.select(true.sqlExpression)).map { "\($0)" }
                    + Row.fetchAll(
                        db,
                        Player.select(id).annotated(with: true.sqlExpression.forKey("a")).order(id).asRequest(
                            of: Row.self)
                    ).map { "\($0)" }
            }
        }

        func testNumbersWithFractionsAreUsedWithIntegers() {
            assertSameValues([
                score * 1.5, 1.5 + score, score - 0.25, score / 2.0, score * 2 + 0.5, rating ?? 0.5,
                rating * 2, -score * 1.5, score > 99.5, score == 100.0,
                (0.5...100.5).contains(score), [100.0, 7.5].contains(score), [7, 100].contains(score),
                rating == 1.5, rating > 1, nickname == "Craig", isActive == true, isActive == 1,
            ])
            // An expression has one type on a server.
            assertSameReads { db in
                let alternatives = [score ?? 0.5, iif(isActive, score, 0.5), iif(isActive, 1.5, 2)]
                return try alternatives.flatMap { try Double.fetchAll(db, Player.select($0).order(id)) }
                    .map { "\($0)" }
            }
            assertSameReads { db in
                let player = TableAlias()
                let requests = [
                    Player.filter(score > 99.5), Player.filter(99.5 < score), Player.filter(score != 7.5),
                    Player.filter(score * 1.5 > 150), Player.filter(!(score == 100.5)),
                    Player.filter(abs(score) >= 2.5), Player.aliased(player).filter(player[score] < 7.5),
                    Player.filter(true.sqlExpression), Player.filter(isActive || false),
                    Player.filter(length(nickname) > 5.5),
                ]
                let teams = Team.having(Team.players.count > 1.5).order(id)
                return try requests.map {
                    try "\(Player.fetchCount(db)) \($0.order(id).fetchAll(db).map(\.name))"
                }
                    + ["\(try teams.fetchAll(db))"]
            }
        }

        func testConstantsOfTheSameQueriesDifferInTheirTypes() {
            assertSameReads { db in
                try [1, 1.5, 2, 2.5].map { (value: any SQLExpressible) in
                    let request = Player.filter(score > value.sqlExpression * 40).order(id)
                    return "\(try request.fetchAll(db).map(\.name))"
                }
                    + [1.sqlExpression, 1.5.sqlExpression, "x".sqlExpression].map { value in
                        "\(try DatabaseValue.fetchAll(db, Player.select(value).limit(1)))"
                    }
            }
        }

        func testAssignmentsConvertToTheColumn() {
            assertSameWrites { db in
                try Player.updateAll(
                    db, score.set(to: score * 2.0), rating.set(to: 3), isActive.set(to: false))
                try Player.filter(id == 1).updateAll(db, rating *= 1.5, nickname.set(to: "N"))
                return try Player.order(id).fetchAll(db).map { "\($0)" }
            }
        }

        func testManyParentsWithKeysOfSeveralColumns() {
            for count in [3, 64, 65, 300] {
                assertSameWrites { db in
                    for number in 0..<count {
                        let branch = Branch(city: "City \(number % 7)", number: number)
                        try branch.insert(db)
                        if number % 3 == 0 {
                            try Worker(id: number, branchCity: branch.city, branchNumber: number).insert(db)
                        }
                    }
                    let request = Branch.including(all: Branch.workers.order(id)).order(Column("number"))
                    return try BranchInfo.fetchAll(db, request).map { "\($0)" }
                }
            }
        }
    }
#endif
