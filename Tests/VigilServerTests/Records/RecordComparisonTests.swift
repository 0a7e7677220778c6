#if PostgreSQL
    import Foundation
    import Vigil
    import XCTest

    /// Records that are saved and deleted, with the same results as in SQLite.
    final class RecordComparisonTests: ComparisonTestCase {
        override func createTables(_ db: Database) throws {
            try League.createTables(db)
        }

        func testInsertedRecordsReceiveTheirKey() {
            assertSameWrites { db in
                var reds = Team(name: "Reds")
                try reds.insert(db)
                let blues = try Team(name: "Blues").inserted(db)
                var saved = Team(name: "Greens")
                try saved.save(db)
                let keyed = try Team(id: 40, name: "Keyed").inserted(db)
                let fetched = try Team(name: "Fetched").insertAndFetch(db)
                var partial = Team(name: "Partial")
                let name = try partial.insertAndFetch(db, selection: [Column("name"), Column("id")]) {
                    statement in
                    try Row.fetchOne(statement).map { "\($0["name"] as String)" }
                }
                XCTAssertEqual(try Team.fetchOne(db, key: partial.id), partial)
                XCTAssertEqual(try Team.fetchOne(db, key: fetched.id), fetched)
                let saveFetched = try Team(name: "Saved").saveAndFetch(db)
                XCTAssertEqual(try Team.fetchOne(db, key: saveFetched.id), saveFetched)
                return [reds, blues, saved, keyed].map { "\($0)" } + ["\(name ?? "")"]
                    + (try String.fetchAll(db, Team.select(Column("name")).order(Column("name"))))
            }
        }

        func testRecordsAreUpdated() {
            assertSameWrites { db in
                var team = try Team(name: "Reds").inserted(db)
                team.city = "Rome"
                try team.update(db)
                var results = ["\(team)", "\(try team.updateChanges(db) { $0.name = "Crimsons" })"]
                results.append("\(try team.updateChanges(db) { $0.name = "Crimsons" })")
                results.append("\(String(describing: try Team.fetchOne(db, key: team.id)))")
                team.city = nil
                results.append("\(try team.updateAndFetch(db))")
                try team.update(db, columns: ["city"])
                results.append(
                    "\(String(describing: try team.updateChangesAndFetch(db) { $0.city = "Oslo" }))")
                team.name = "Saved"
                try team.save(db)
                results.append("\(try team.saveAndFetch(db))")
                results += ["\(try team.exists(db))", "\(try team.delete(db))", "\(try team.delete(db))"]
                results.append("\(try team.exists(db))")
                do {
                    try team.update(db)
                } catch let error as RecordError {
                    results.append("\(error)")
                }
                try team.save(db)
                results.append("\(try Team.fetchAll(db))")
                return results
            }
        }

        func testRecordsAreUpserted() {
            assertSameWrites { db in
                var team = Team(id: 7, name: "Reds", city: "Rome")
                try team.upsert(db)
                team.city = "Oslo"
                try team.upsert(db)
                var results = ["\(team)", "\(try Team.fetchAll(db))"]
                let other = Team(id: 8, name: "Reds", city: "Paris")
                var copy = other
                results.append("\(try copy.upsertAndFetch(db, onConflict: ["name"]))")
                let city = Column("city")
                let joined = try copy.upsertAndFetch(db, onConflict: ["name"]) { excluded in
                    [
                        city.set(
                            to: [city.sqlExpression, excluded[city].sqlExpression].joined(operator: .concat))
                    ]
                }
                results.append("\(joined)")
                results.append(
                    "\(try copy.upsertAndFetch(db, onConflict: ["name"], updating: .noColumnUnlessSpecified))"
                )
                results.append(
                    "\(try copy.upsertAndFetch(db, onConflict: ["name"]) { _ in [Column("city").noOverwrite] })"
                )
                var new = Team(id: nil, name: "Blues", city: nil)
                let inserted = try new.upsertAndFetch(db, onConflict: ["name"])
                XCTAssertEqual(inserted.id, new.id)
                XCTAssertEqual(try Team.fetchOne(db, key: new.id), inserted)
                results += ["\(inserted.name)", "\(try Team.fetchCount(db))"]
                return results
            }
        }

        func testRowsAreWrittenByRequests() {
            assertSameWrites { db in
                try League.insertRows(db)
                let (id, score, name) = (Column("id"), Column("score"), Column("name"))
                var results = [
                    "\(try Player.filter(score > 50).updateAll(db, score += 1, name.set(to: "x")))"
                ]
                results.append("\(try Player.updateAll(db, Column("isActive").set(to: false)))")
                results.append("\(try Player.order(id).limit(1).updateAll(db, score -= 1))")
                results.append("\(try Player.fetchAll(db).sorted { $0.id! < $1.id! })")
                results.append("\(try Player.filter(key: 1).deleteAll(db))")
                results.append("\(try Player.deleteOne(db, key: 2)) \(try Player.deleteOne(db, key: 99))")
                results.append("\(try Player.deleteAll(db, keys: [3, 98]))")
                results.append("\(try Player.joining(required: Player.team).updateAll(db, score.set(to: 9)))")
                results.append("\(try Player.filter(id == 4).updateAndFetchAll(db, [score.set(to: 5)]))")
                results.append("\(try Player.filter(id == 4).deleteAndFetchAll(db))")
                results.append("\(try Player.order(id.desc).limit(1).deleteAll(db))")
                results.append("\(try Team.filter(name == "Reds").deleteAll(db)) \(try Player.deleteAll(db))")
                results.append("\(try Player.exists(db, key: 1)) \(try Team.exists(db, key: 2))")
                return results
            }
        }

        func testIgnoredConflictsLeaveTheRow() {
            assertSameWrites { db in
                var team = Team(id: 1, name: "Reds")
                try team.insert(db)
                var other = Team(id: 1, name: "Blues")
                try other.insert(db, onConflict: .ignore)
                return ["\(other)", "\(try Team.fetchAll(db))"]
            }
        }
    }
#endif
