#if PostgreSQL
    import Foundation
    import Vigil
    import XCTest

    private struct Country: Codable, FetchableRecord, PersistableRecord {
        static let citizenships = hasMany(Citizenship.self)
        static let citizens = hasMany(Citizen.self, through: citizenships, using: Citizenship.citizen)
        static let cities = hasMany(City.self)
        static let capital = hasOne(Capital.self)
        var code: String
    }

    private struct Citizen: Codable, FetchableRecord, PersistableRecord {
        static let citizenships = hasMany(Citizenship.self)
        static let countries = hasMany(Country.self, through: citizenships, using: Citizenship.country)
        var id: Int
        var name: String
    }

    private struct Citizenship: Codable, FetchableRecord, PersistableRecord {
        static let citizen = belongsTo(Citizen.self)
        static let country = belongsTo(Country.self)
        var citizenId: Int
        var countryCode: String
        var rank: Int
    }

    private struct City: Codable, FetchableRecord, PersistableRecord {
        static let streets = hasMany(Street.self)
        var countryCode: String
        var name: String
    }

    private struct Street: Codable, FetchableRecord, PersistableRecord {
        static let city = belongsTo(City.self)
        var name: String
        var cityCountryCode: String
        var cityName: String
    }

    private struct Capital: Codable, FetchableRecord, PersistableRecord {
        var countryCode: String
        var name: String
    }

    /// Tables whose primary keys have several columns, with the same results as in SQLite.
    final class CompositeKeyComparisonTests: ComparisonTestCase {
        override func createTables(_ db: Database) throws {
            try db.create(table: "country") { t in t.primaryKey("code", .text) }
            try db.create(table: "citizen") { t in
                t.primaryKey("id", .integer)
                t.column("name", .text).notNull()
            }
            try db.create(table: "citizenship") { t in
                t.primaryKey {
                    t.belongsTo("citizen")
                    t.belongsTo("country")
                }
                t.column("rank", .integer)
            }
            try db.create(table: "city") { t in
                t.primaryKey {
                    t.belongsTo("country")
                    t.column("name", .text)
                }
            }
            try db.create(table: "street") { t in
                t.primaryKey("name", .text)
                t.belongsTo("city")
            }
            try db.create(table: "capital") { t in
                t.belongsTo("country").unique()
                t.column("name", .text)
            }
            for code in ["FR", "IT", "NO"] { try Country(code: code).insert(db) }
            for (id, name) in [(1, "Arthur"), (2, "Barbara")] { try Citizen(id: id, name: name).insert(db) }
            for (citizen, country) in [(1, "FR"), (1, "IT"), (2, "FR")] {
                try Citizenship(citizenId: citizen, countryCode: country, rank: citizen).insert(db)
            }
            for (code, name) in [("FR", "Paris"), ("FR", "Lyon"), ("IT", "Rome")] {
                try City(countryCode: code, name: name).insert(db)
                try Street(name: "Main \(name)", cityCountryCode: code, cityName: name).insert(db)
            }
            try Capital(countryCode: "FR", name: "Paris").insert(db)
        }

        func testRowsAreFoundByTheirKey() {
            assertSameWrites { db in
                let key: [String: any DatabaseValueConvertible] = ["citizenId": 1, "countryCode": "IT"]
                let rank = Column("rank")
                var citizenship = try XCTUnwrap(Citizenship.fetchOne(db, key: key))
                citizenship.rank = 9
                try citizenship.update(db)
                citizenship.rank = 10
                try citizenship.upsert(db)
                let all = Citizenship.order(Column("citizenId"), Column("countryCode"))
                var results = ["\(citizenship)", "\(try citizenship.exists(db))", "\(try all.fetchAll(db))"]
                results.append(
                    "\(try Citizenship.filter(rank > 1).order(rank).limit(1).updateAll(db, rank += 1))")
                results.append("\(try Citizenship.filter(keys: [key]).deleteAll(db))")
                results.append("\(try Citizenship.order(rank.desc).limit(1).deleteAll(db))")
                results.append("\(try all.fetchAll(db)) \(try Citizenship.all().reversed().fetchCount(db))")
                results.append("\(try Citizenship.all().orderByPrimaryKey().fetchAll(db))")
                return results
            }
        }

        func testAssociationsUseTheKey() {
            assertSameReads { db in
                func rows<T>(_ request: QueryInterfaceRequest<T>) throws -> [String] {
                    try Row.fetchAll(db, request.asRequest(of: Row.self)).map(\.debugDescription)
                }
                let code = Column("code")
                let city = TableAlias()
                let ranks = Citizen.citizenships.sum(Column("rank"))
                return try rows(City.including(all: City.streets).order(Column("name")))
                    + rows(Street.including(required: Street.city.aliased(city)).order(city[Column("name")]))
                    + rows(Country.including(all: Country.citizens.order(Column("name"))).order(code))
                    + rows(Citizen.including(all: Citizen.countries.order(code)).orderByPrimaryKey())
                    + rows(Country.including(optional: Country.capital).order(code))
                    + rows(Country.annotated(with: Country.citizens.count, Country.cities.count).order(code))
                    + rows(
                        Country.including(all: Country.citizens.order(Column("id")).annotated(with: ranks))
                            .order(code))
                    + rows(City.annotated(with: City.streets.count).order(Column("name")))
                    + rows(Country.having(Country.citizens.isEmpty))
                    + rows(
                        Country.joining(required: Country.citizenships.filter(Column("rank") > 1)).distinct())
                    + rows(Country.joining(required: Country.citizens).groupByPrimaryKey().order(code))
            }
        }
    }
#endif
