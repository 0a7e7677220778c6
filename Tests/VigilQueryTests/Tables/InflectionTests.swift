import XCTest

@testable import VigilQuery

final class InflectionTests: XCTestCase {
    func testNamesHaveSingularsAndPlurals() {
        let names = [
            ("book", "books"), ("country", "countries"), ("address", "addresses"), ("box", "boxes"),
            ("match", "matches"), ("dish", "dishes"), ("hero", "heroes"), ("photo", "photos"),
            ("key", "keys"),
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
        ]
        for (singular, plural) in names {
            XCTAssertEqual(singular.pluralized, plural)
            XCTAssertEqual(plural.pluralized, plural)
            XCTAssertEqual(plural.singularized, singular)
            XCTAssertEqual(singular.singularized, singular)
        }
        XCTAssertEqual("".pluralized, "")
        XCTAssertEqual("12".singularized, "12")
    }
}
