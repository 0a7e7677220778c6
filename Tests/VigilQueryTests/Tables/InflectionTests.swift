import Vigil
import XCTest

@testable import VigilQuery

final class InflectionTests: XCTestCase {
    func testNamesHaveSingularsAndPlurals() {
        let names: [(String, String)] = [
            ("book", "books"), ("country", "countries"), ("address", "addresses"), ("box", "boxes"),
            ("match", "matches"), ("dish", "dishes"), ("hero", "heroes"), ("photo", "photos"),
            ("key", "keys"), ("superhero", "superheroes"), ("ranchero", "rancheros"),
            ("person", "people"), ("child", "children"), ("man", "men"), ("human", "humans"),
            ("mouse", "mice"),
            ("index", "indices"), ("status", "statuses"), ("virus", "viruses"), ("house", "houses"),
            ("cause", "causes"), ("database", "databases"), ("analysis", "analyses"), ("axis", "axes"),
            ("cache", "caches"), ("movie", "movies"), ("leaf", "leaves"), ("archive", "archives"),
            ("price", "prices"), ("class", "classes"), ("alias", "aliases"), ("a", "as"), ("b", "bs"),
            ("salesPerson", "salesPeople"), ("grandchild", "grandchildren"), ("series", "series"),
            ("news", "news"), ("sheep", "sheep"), ("book2", "books2"), ("Child", "Children"),
            ("quiz", "quizzes"),
            ("olive", "olives"), ("bonus", "bonuses"), ("knife", "knives"), ("littlePuppy", "littlePuppies"),
            ("property", "properties"), ("tax", "taxes"),
            ("coach", "coaches"), ("menu", "menus"), ("taxi", "taxis"), ("response", "responses"),
            ("scarf", "scarves"), ("elf", "elves"), ("hoof", "hooves"), ("dwarf", "dwarves"),
            ("bias", "biases"), ("lens", "lenses"), ("gas", "gases"), ("cosmos", "cosmoses"),
            ("iris", "irises"),
            ("genius", "geniuses"), ("abuse", "abuses"), ("premise", "premises"), ("oasis", "oases"),
            ("quartz", "quartzes"),
            ("stomach", "stomachs"), ("soliloquy", "soliloquies"), ("wiki", "wikis"), ("cpu", "cpus"),
            ("genie", "genies"),
            ("salesman", "salesmen"), ("german", "germans"), ("specimen", "specimens"), ("olive", "olives"),
            ("fox", "foxes"), ("phenomenon", "phenomena"),
            ("physics", "physics"), ("diabetes", "diabetes"), ("sms", "sms"), ("miniseries", "miniseries"),
            ("status_code", "status_codes"), ("my_analysis", "my_analyses"),
            ("HTTPResponse", "HTTPResponses"),
        ]
        for (singular, plural) in names { assertInflections(singular, plural) }
        XCTAssertEqual("".pluralized, "")
        XCTAssertEqual("12".singularized, "12")
    }

    private func assertInflections(_ singular: String, _ plural: String, line: UInt = #line) {
        XCTAssertEqual(singular.pluralized, plural, line: line)
        XCTAssertEqual(plural.pluralized, plural, line: line)
        XCTAssertEqual(plural.singularized, singular, line: line)
        XCTAssertEqual(singular.singularized, singular, line: line)
    }

    func testNamesInCapitalsAreInflectedLikeOthers() {
        for (singular, plural) in [
            ("BOX", "BOXes"), ("FOX", "FOXes"), ("TAX", "TAXes"), ("HUMAN", "HUMANs"),
            ("DATABASE", "DATABASEs"),
            ("SPECIMEN", "SPECIMENs"), ("NEWS", "NEWS"), ("BIAS", "BIASes"), ("BLACK_BOX", "BLACK_BOXes"),
        ] {
            assertInflections(singular, plural)
        }
        XCTAssertEqual("BOXES".singularized, "BOX")
        XCTAssertEqual("BOXES".pluralized, "BOXES")
        XCTAssertEqual("PEOPLE".pluralized, "PEOPLE")
        XCTAssertEqual("PERSON".singularized, "PERSON")
    }

    func testRulesOfTheProgramPrecedeThoseOfEnglish() {
        let original = Inflections.default
        defer { Inflections.default = original }
        Inflections.default.irregularSuffix("cow", "kine")
        Inflections.default.uncountableWords(["ensemble"])
        Inflections.default.plural("^(rail)way$", "$1road")
        Inflections.default.singular("roads$", "way")
        for (singular, plural) in [
            ("cow", "kine"), ("Cow", "Kine"), ("brownCow", "brownKine"), ("cow2", "kine2"),
            ("ensemble", "ensemble"),
            ("Ensemble", "Ensemble"), ("book", "books"),
        ] {
            assertInflections(singular, plural)
        }
        XCTAssertEqual("railway".pluralized, "railroad")
        XCTAssertEqual("theRailroads3".singularized, "theRailway3")
        Inflections.default.plural("way$", "ways")
        XCTAssertEqual("railway".pluralized, "railways")
    }

    func testInflectionsWithoutRulesChangeNothing() {
        var inflections = Inflections()
        XCTAssertEqual(inflections.pluralize("player"), "player")
        XCTAssertEqual(inflections.singularize("players"), "players")
        inflections.plural("$", "s")
        inflections.singular("s$", "")
        XCTAssertEqual(inflections.pluralize("player"), "players")
        XCTAssertEqual(inflections.singularize("PLAYERS"), "PLAYER")
        XCTAssertEqual(Inflections.default.pluralize("bus"), "buses")
    }

    func testAssociationsHaveInflectedKeys() throws {
        struct Box: TableRecord {
            static let databaseTableName = "BOX"
            static let biases = hasMany(Bias.self, using: ForeignKey(["box"]))
        }
        struct Bias: TableRecord {
            static let databaseTableName = "bias"
            static let box = belongsTo(Box.self, using: ForeignKey(["box"]))
        }
        try DatabaseQueue().write { db in
            try db.execute(
                sql: """
                    CREATE TABLE BOX(id INTEGER PRIMARY KEY); CREATE TABLE bias(id INTEGER PRIMARY KEY, box INTEGER);
                    INSERT INTO BOX VALUES (1); INSERT INTO bias VALUES (1, 1);
                    """)
            let box = try Row.fetchOne(
                db, Box.including(all: Box.biases).annotated(with: Box.biases.count))
            XCTAssertEqual(box?.prefetchedRows.keys, ["biases"])
            XCTAssertEqual(box?["biasCount"], 1)
            let bias = try Row.fetchOne(db, Bias.including(required: Bias.box))
            XCTAssertEqual(bias?.scopes.names, ["BOX"])
        }
    }
}
