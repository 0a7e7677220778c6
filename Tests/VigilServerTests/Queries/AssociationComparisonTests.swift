#if PostgreSQL
    import Foundation
    import Vigil
    import XCTest

    /// Requests of several tables. Their results must equal SQLite's.
    final class AssociationComparisonTests: ComparisonTestCase {
        override func createTables(_ db: Database) throws {
            try League.createTables(db)
            try League.insertRows(db)
        }

        func testTablesAreJoined() {
            assertSameReads { db in
                let (id, name) = (Column("id"), Column("name"))
                let optional = try Player.including(optional: Player.team).order(id).asRequest(
                    of: PlayerInfo.self
                )
                .fetchAll(db)
                let required = try Player.including(required: Player.team.filter(name == "Reds")).order(id)
                    .asRequest(of: PlayerInfo.self).fetchAll(db)
                let joined = try Player.joining(required: Player.team.order(name.desc)).order(name).fetchAll(
                    db)
                let request = Team.joining(required: Team.players.filter(Column("score") > 5)).distinct()
                    .order(id)
                let alias = TableAlias()
                let annotated = Player.annotated(
                    withOptional: Player.team.select(Column("name").forKey("teamName"))
                )
                .order(id)
                let filtered = try Player.joining(optional: Player.team.aliased(alias))
                    .filter(alias[name] == "Reds" || Column("score") < 0).order(id).fetchAll(db)
                let missing = try Player.joining(optional: Player.team.aliased(alias)).filter(!alias.exists)
                    .fetchAll(db)
                return optional.map { "\($0)" } + required.map { "\($0)" } + joined.map { "\($0)" }
                    + (try request.fetchAll(db)).map { "\($0)" } + ["\(try request.fetchCount(db))"]
                    + (try Row.fetchAll(db, annotated)).map { "\($0)" } + filtered.map { "\($0)" }
                    + missing.map { "\($0)" } + [
                        "\(try Player.joining(required: Player.team).fetchCount(db))"
                    ]
            }
        }

        func testAssociatedRowsArePrefetched() {
            assertSameReads { db in
                let id = Column("id")
                let infos = try Team.including(all: Team.players.order(id)).order(id)
                    .asRequest(of: TeamInfo.self).fetchAll(db)
                let active = try Team.including(all: Team.players.filter(Column("isActive")).order(id))
                    .order(id).asRequest(of: TeamInfo.self).fetchAll(db)
                let team = try Team.fetchOne(db, key: 1)
                let players = try team?.request(for: Team.players).order(id).fetchAll(db) ?? []
                let owner = try players.first?.request(for: Player.team).fetchOne(db)
                return infos.map { "\($0)" } + active.map { "\($0)" } + players.map { "\($0)" }
                    + ["\(String(describing: owner))"]
            }
        }

        func testAssociationsAreAggregated() {
            assertSameReads { db in
                let (id, score) = (Column("id"), Column("score"))
                let players = Team.players
                let active = players.filter(Column("isActive")).forKey("active")
                let requests: [QueryInterfaceRequest<Team>] = [
                    Team.annotated(with: players.count), Team.annotated(with: players.sum(score)),
                    Team.annotated(with: players.max(score), players.min(score)),
                    Team.annotated(with: players.isEmpty), Team.having(players.isEmpty),
                    Team.having(!players.isEmpty), Team.having(players.count >= 2),
                    Team.having(players.filter(Column("isActive")).count == 2),
                    Team.annotated(with: (players.count * 2 + 1).forKey("n")),
                    Team.annotated(with: players.sum(score), active.count, active.sum(score)),
                    Team.joining(optional: active).annotated(with: players.sum(score)),
                    Team.having(players.sum(score) > 100 && active.count > 0),
                ]
                var results: [String] = []
                for request in requests {
                    let rows = try Row.fetchAll(db, request.order(id).asRequest(of: Row.self))
                    results += rows.map { "\($0)" } + ["\(try request.fetchCount(db))"]
                }
                let averages = try Row.fetchAll(
                    db,
                    Team.annotated(with: players.average(score), players.total(score)).order(id)
                        .asRequest(of: Row.self))
                results += averages.map {
                    "\($0["averagePlayerScore"] as Double?) \($0["playerScoreSum"] as Double?)"
                }
                let best = Team.having(!players.isEmpty).annotated(with: players.max(score).forKey("best"))
                results += try Row.fetchAll(db, best.order(Column("best").desc)).map { "\($0)" }
                return results
            }
        }
    }
#endif
