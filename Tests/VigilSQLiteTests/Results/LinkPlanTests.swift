import VigilStorage
import XCTest

/// The links of plans: how changed rows lead to other rows by equal values.
final class LinkPlanTests: XCTestCase {
    private static let schema = """
        CREATE TABLE room(id INTEGER PRIMARY KEY, name TEXT, house INTEGER, code TEXT COLLATE NOCASE, any);
        CREATE TABLE message(id INTEGER PRIMARY KEY, room INTEGER, isRead INTEGER, text TEXT, code TEXT, any);
        CREATE TABLE mark(message INTEGER, room TEXT, PRIMARY KEY (message, room)) WITHOUT ROWID;
        CREATE TABLE house(id INTEGER PRIMARY KEY, name TEXT);
        CREATE TABLE tag(
            uuid TEXT NOT NULL PRIMARY KEY, title TEXT UNIQUE, code TEXT NOT NULL COLLATE NOCASE,
            place INTEGER NOT NULL, kind INTEGER NOT NULL, UNIQUE (kind, place));
        CREATE UNIQUE INDEX byCode ON tag(code COLLATE BINARY);
        CREATE UNIQUE INDEX byPlace ON tag(place) WHERE kind = 1;
        """

    /// The followed tables, the links, and the watched tables of a plan, or the reason of a refusal.
    private func summary(_ report: ListPlanReport) -> String {
        switch report {
        case .refused(let reason): return "refused: \(reason)"
        case .plan(let plan):
            let followed = plan.sources.filter { $0.rowSQL != nil }.map(\.table.name)
            let links = plan.links.map { link in
                let column = if case .named(let name) = link.column { name } else { "rowid" }
                return "\(link.table.name).\(column) to \(plan.sources[link.source].table.name)"
            }
            return [followed, links, plan.watched.map(\.table.name)].map { $0.joined(separator: ", ") }
                .joined(separator: "; ")
        }
    }

    private func onEachConnection(_ body: (any StorageConnection, String) throws -> Void) throws {
        for named in NamedBackend.all { try body(named.open(Self.schema), named.name) }
    }

    private func assertPlans(
        _ sql: String, _ expected: String, file: StaticString = #filePath, line: UInt = #line
    ) throws {
        try onEachConnection { connection, name in
            let report = try connection.withStatement(sql) { $0.listPlan }
            XCTAssertEqual(summary(report), expected, "\(name): \(sql)", file: file, line: line)
        }
    }

    func testRightSidesOfJoinsAreLinked() throws {
        try assertPlans(
            "SELECT * FROM room LEFT JOIN message ON message.room = room.id", "room; message.room to room; ")
        try assertPlans(
            "SELECT * FROM message m LEFT JOIN room r ON m.room == r.id AND r.name > 'a' WHERE r.id IS NULL",
            "message; room.rowid to message; ")
        try assertPlans(
            "SELECT 1 FROM house LEFT JOIN room ON house = house.id LEFT JOIN message m ON m.room = room.id",
            "house; message.room to house, room.house to house; ")
        try assertPlans(
            "SELECT * FROM message a LEFT JOIN message b ON b.room = a.isRead",
            "message; message.room to message; ")
    }

    func testNestedQueriesAreLinked() throws {
        try assertPlans(
            "SELECT *, (SELECT COUNT(*) FROM message WHERE room = room.id AND NOT isRead) AS unread FROM room",
            "room; message.room to room; ")
        try assertPlans(
            "SELECT name FROM room WHERE NOT EXISTS (SELECT 1 FROM message m WHERE (m.room = room.id AND 1)) OR 1",
            "room; message.room to room; ")
        try assertPlans(
            "SELECT name FROM room WHERE id IN (SELECT room FROM message WHERE isRead) AND house = 1",
            "room; message.room to room; ")
        try assertPlans(
            """
            SELECT name FROM room r WHERE EXISTS (SELECT 1 FROM message m JOIN mark ON mark.message = m.id
            WHERE m.room = r.id)
            """, "room; mark.message to room, message.room to room; ")
        try assertPlans(
            """
            SELECT (SELECT text FROM message WHERE room = r.id ORDER BY id DESC LIMIT 1),
            (SELECT name FROM house WHERE id = r.house) FROM room r
            """, "room; house.rowid to room, message.room to room; ")
    }

    func testOtherPlacesAreWatched() throws {
        for condition in [
            "id NOT IN (SELECT room FROM message)", "(id IN (SELECT room FROM message) OR house = 1)",
            "NOT id IN (SELECT room FROM message)", "id IN (SELECT room FROM message LIMIT 1)",
            "id IN (SELECT room FROM message GROUP BY room)", "id IN (SELECT MAX(m.room) FROM message m)",
            "id IN (SELECT room + 0 FROM message)", "house > (SELECT AVG(m.room) FROM message m)",
            "EXISTS (SELECT 1 FROM message m WHERE m.room = room.id OR m.isRead)",
            "EXISTS (SELECT 1 FROM message m WHERE m.room IS room.id)",
            "EXISTS (SELECT 1 FROM message m WHERE m.room < room.id)",
            "EXISTS (SELECT 1 FROM message m WHERE m.room = room.id UNION SELECT 1 FROM message)",
            "EXISTS (SELECT 1 FROM (SELECT * FROM message) m WHERE m.room = room.id)",
            // Each place needs a link.
            "EXISTS (SELECT 1 FROM message m, message n WHERE m.room = room.id)",
            // Another collation, conversion or meaning.
            "EXISTS (SELECT 1 FROM message m WHERE m.code = room.code)",
            "EXISTS (SELECT 1 FROM message m WHERE m.room = room.any)",
            "EXISTS (SELECT 1 FROM message m WHERE m.any = room.name)",
            "EXISTS (SELECT 1 FROM message m WHERE m.room = room.name)",
            "EXISTS (SELECT 1 AS house FROM message m WHERE m.room = house)",
        ] {
            try assertPlans("SELECT name FROM room WHERE \(condition)", "room; ; message")
        }
        try assertPlans(
            "SELECT 1 FROM room LEFT JOIN message m ON m.room = room.id OR m.isRead", "room; ; message")
        try assertPlans(
            "SELECT 1 FROM room LEFT JOIN message m WHERE m.room = room.id", "room; ; message")
        // The table of the link is watched itself.
        try assertPlans(
            "SELECT 1 FROM room LEFT JOIN message m ON m.room = room.id WHERE (SELECT COUNT(*) FROM room) > 1",
            "; ; room, message")
    }

    func testACommonTableExpressionHidesATable() throws {
        let sql = """
            SELECT name FROM room WHERE EXISTS (WITH mark(message, room) AS (SELECT 1, 2) SELECT 1 WHERE EXISTS (
            SELECT 1 FROM message m, mark WHERE m.id = mark.message AND mark.room = room.id))
            """
        try onEachConnection { connection, name in
            let report = try connection.withStatement(sql) { $0.listPlan }
            let parts = summary(report).split(separator: ";", omittingEmptySubsequences: false)
            // There are no links, and changes of the table are watched.
            XCTAssertEqual(parts.count, 3, "\(name): \(summary(report))")
            XCTAssertEqual(parts[1], " ", "\(name): \(summary(report))")
            XCTAssertTrue(parts[2].contains("message"), "\(name): \(summary(report))")
        }
    }

    func testGroupsOfATableAreItsRows() throws {
        try assertPlans(
            "SELECT room.*, COUNT(DISTINCT m.id) AS n FROM room LEFT JOIN message m ON m.room = room.id GROUP BY room.id",
            "room; message.room to room; ")
        try assertPlans(
            """
            SELECT room.id, MAX(m.isRead) FROM room JOIN message m ON m.room = room.id WHERE m.id > 4
            GROUP BY "room"."id" HAVING COUNT(*) > 2 ORDER BY room.name LIMIT 10
            """, "room; message.room to room; ")
        try assertPlans(
            "SELECT room.id, COUNT(*) FROM room, message GROUP BY room.id", "room; ; message")
        try assertPlans("SELECT COUNT(*) FROM room GROUP BY room.id, (name)", "room; ; ")
        try assertPlans(
            "SELECT tag.*, COUNT(m.id) FROM tag LEFT JOIN message m ON m.text = tag.uuid GROUP BY tag.uuid",
            "tag; message.text to tag; ")
        try assertPlans("SELECT COUNT(*) FROM tag GROUP BY place, kind", "tag; ; ")
        try assertPlans(
            """
            SELECT room.id, COUNT(*) FROM room JOIN message m ON m.room = room.id WHERE m.id > ?
            GROUP BY room.id HAVING COUNT(*) > ? AND MAX(m.isRead) < :most
            """, "room; message.room to room; ")
        for (sql, reason) in [
            (
                "SELECT room.id, m.text FROM room JOIN message m ON m.room = room.id GROUP BY room.id",
                "it returns the column text, which is neither grouped nor aggregated"
            ),
            (
                "SELECT m.* FROM room JOIN message m ON m.room = room.id GROUP BY room.id",
                "it returns all columns of a table that is not grouped"
            ),
            (
                "SELECT room.id, SUM(isRead) FROM room JOIN message m ON m.room = room.id GROUP BY room.id",
                "the result of sum may depend on the order of the rows"
            ),
            (
                "SELECT room.id, MAX(m.any) FROM room JOIN message m ON m.room = room.id GROUP BY room.id",
                "equal values of max may not be identical"
            ),
            (
                "SELECT room.id, COUNT(DISTINCT text) FROM room JOIN message m ON text = room.id GROUP BY room.id",
                "the values counted by COUNT(DISTINCT) may be compared as numbers"
            ),
            (
                "SELECT room.id FROM room JOIN message m ON m.room = room.id GROUP BY room.id ORDER BY m.text",
                "it sorts by a column of a table that is not grouped"
            ),
            ("SELECT name, COUNT(*) FROM room GROUP BY name", "it has GROUP BY or HAVING"),
            ("SELECT COUNT(*) FROM room, house GROUP BY room.id, house.id", "it has GROUP BY or HAVING"),
            ("SELECT COUNT(*) FROM house GROUP BY house.name || house.id", "it has GROUP BY or HAVING"),
            ("SELECT COUNT(*) FROM tag GROUP BY title", "it has GROUP BY or HAVING"),
            ("SELECT COUNT(*) FROM tag GROUP BY code", "it has GROUP BY or HAVING"),
            ("SELECT COUNT(*) FROM tag GROUP BY place", "it has GROUP BY or HAVING"),
            ("SELECT title AS uuid FROM tag GROUP BY uuid", "it has GROUP BY or HAVING"),
        ] {
            try assertPlans(sql, "refused: \(reason)")
        }
    }

    func testLinksFindRows() throws {
        try onEachConnection { connection, name in
            let sql = """
                SELECT 1 FROM house LEFT JOIN room ON house = house.id LEFT JOIN message m ON m.room = room.id
                """
            let report = try connection.withStatement(sql) { $0.listPlan }
            guard case .plan(let plan) = report else { return XCTFail(summary(report)) }
            let link = try XCTUnwrap(plan.links.first { $0.table.name == "message" })
            XCTAssertEqual(
                link.sql,
                #"SELECT "vigil.2".rowid FROM "main"."room" AS "vigil.1", "main"."house" AS "vigil.2" "#
                    + #"WHERE "vigil.1".rowid = ?1 AND "vigil.2".rowid = "vigil.1"."house""#, name)
        }
    }
}
