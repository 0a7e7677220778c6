import VigilTesting

// MARK: - Triggers that delete

extension Hazard {
    static func setUpDeletingTriggers(_ random: inout SplitMix64) -> [String] {
        let more = [
            "DELETE FROM whole WHERE id = NEW.id", "DELETE FROM whole WHERE a = NEW.a",
            "INSERT OR IGNORE INTO whole VALUES (NEW.id + 10, NEW.a)",
            "SELECT RAISE(FAIL, 'no') WHERE NEW.a = 3",
        ]
        let triggers = ["INSERT", "UPDATE"].map { event in
            let others = more.shuffled(using: &random).prefix(number(0...2, &random))
            let body = (others + ["DELETE FROM whole"]).shuffled(using: &random).joined(separator: "; ")
            return "CREATE TRIGGER cut\(event) \(pick(["AFTER", "BEFORE"], &random)) \(event) ON cutter "
                + "WHEN NEW.a > \(number(0...3, &random)) BEGIN \(body); END"
        }
        return [
            "CREATE TABLE whole(id INTEGER PRIMARY KEY, a)",
            "CREATE TABLE cutter(id INTEGER PRIMARY KEY, a)",
            "INSERT INTO whole VALUES (1, 1), (2, 2), (3, 3)",
        ] + triggers
    }

    static func writesOfDeletingTriggers(_ random: inout SplitMix64) -> Unit {
        Unit(
            together(1...3, &random) { random in
                let (id, a) = (number(&random), number(&random))
                switch number(1...10, &random) {
                case 1, 2: return "INSERT OR IGNORE INTO whole VALUES (\(id), \(a)), (\(id + 1), \(a + 1))"
                case 3: return "INSERT OR REPLACE INTO whole VALUES (\(id), \(a))"
                case 4: return "DELETE FROM whole WHERE id = \(id)"
                case 5: return "DELETE FROM whole"
                case 6: return "UPDATE cutter SET a = \(a)"
                case 7: return "UPDATE whole SET a = \(a) WHERE id = \(id)"
                case 8: return "DELETE FROM cutter"
                default: return "INSERT INTO cutter(a) VALUES (\(a)), (\(a - 1))"
                }
            })
    }

    // MARK: - Triggers that fail

    static func setUpFailingTriggers(_ random: inout SplitMix64) -> [String] {
        let triggers = ["INSERT", "UPDATE", "DELETE"].map { event in
            let row = event == "DELETE" ? "OLD" : "NEW"
            let effects = [
                "UPDATE side SET a = a + 1 WHERE id <= \(row).a", "DELETE FROM side WHERE id = \(row).a",
            ]
            let failure =
                "SELECT RAISE(\(pick(["FAIL", "FAIL", "ROLLBACK"], &random)), 'no') WHERE \(row).a = 3"
            let body = [pick(effects, &random), failure].shuffled(using: &random).joined(separator: "; ")
            return "CREATE TRIGGER fail\(event) \(pick(["AFTER", "BEFORE"], &random)) \(event) ON strict "
                + "BEGIN \(body); END"
        }
        return [
            "CREATE TABLE strict(id INTEGER PRIMARY KEY, a)", "CREATE TABLE side(id INTEGER PRIMARY KEY, a)",
            "INSERT INTO strict VALUES (1, 1), (2, 2)",
            "INSERT INTO side VALUES (1, 1), (2, 1), (4, 1), (5, 1)",
        ] + triggers
    }

    static func writesOfFailingTriggers(_ random: inout SplitMix64) -> Unit {
        Unit(
            together(1...3, &random) { random in
                let (id, a) = (number(&random), number(&random))
                switch number(1...8, &random) {
                case 1: return "INSERT OR FAIL INTO strict(a) VALUES (\(a)), (\(a + 1)), (\(a + 2))"
                case 2, 3: return "INSERT INTO strict(a) VALUES (\(a)), (\(a + 1))"
                case 4, 5: return "UPDATE strict SET a = a + 1"
                case 6: return "DELETE FROM strict WHERE id >= \(id)"
                case 7: return "UPDATE strict SET a = \(a) WHERE id = \(id)"
                default: return "INSERT OR REPLACE INTO side VALUES (\(id), \(a)), (3, \(a))"
                }
            })
    }

    // MARK: - Aborted blocks

    static func setUpAbortedBlocks() -> [String] {
        [
            "CREATE TABLE once(id INTEGER PRIMARY KEY, a UNIQUE)",
            "INSERT INTO once VALUES (1, 1), (2, 2), (3, 4)",
            """
            CREATE TRIGGER abortOnce BEFORE INSERT ON once WHEN NEW.a = 3 \
            BEGIN SELECT RAISE(ROLLBACK, 'no'); END
            """,
        ]
    }

    static func abortedBlock(_ random: inout SplitMix64) -> Unit {
        var unit = Unit(
            (0..<number(2...5, &random)).map { _ in
                let a = number(1...9, &random)
                switch number(1...12, &random) {
                case 1, 2: return "INSERT OR ROLLBACK INTO once(a) VALUES (\(a))"
                case 3: return "UPDATE OR ROLLBACK once SET a = \(a)"
                case 4: return "ROLLBACK"
                case 5: return pick(["SAVEPOINT s", "RELEASE s", "ROLLBACK TO s", "BEGIN"], &random)
                case 6: return "DELETE FROM once WHERE a = \(a)"
                case 7: return "SELECT COUNT(*) FROM once"
                case 8: return "INSERT OR REPLACE INTO once VALUES (\(number(&random)), \(a))"
                default: return "INSERT INTO once(a) VALUES (\(a))"
                }
            })
        unit.isBlock = !chance(5, &random)
        return unit
    }

    // MARK: - Partly read statements

    static func setUpPartialReturning() -> [String] {
        [
            "CREATE TABLE parent(id INTEGER PRIMARY KEY)",
            """
            CREATE TABLE child(
              id INTEGER PRIMARY KEY, p REFERENCES parent(id) DEFERRABLE INITIALLY DEFERRED)
            """,
            "INSERT INTO parent VALUES (1), (2), (3)", "INSERT INTO child(p) VALUES (1), (1), (2)",
        ]
    }

    static func queryOfReturning(_ random: inout SplitMix64) -> String {
        let p = number(&random)
        return pick(
            [
                "SELECT * FROM child", "SELECT COUNT(*) FROM child WHERE p = \(p)", "SELECT * FROM parent",
                "SELECT child.id FROM child JOIN parent ON parent.id = p",
                "SELECT p FROM child WHERE id = \(p)",
            ], &random)
    }

    static func writesOfReturning(_ random: inout SplitMix64) -> Unit {
        let p = number(&random)
        let writes = [
            "INSERT INTO child(p) VALUES (\(p)) RETURNING id",
            "INSERT INTO child(p) VALUES (\(p)), (1) RETURNING id, p",
            "DELETE FROM parent WHERE id = \(p) RETURNING *", "UPDATE child SET p = \(p) RETURNING id",
            "UPDATE parent SET id = id + 1 WHERE id > \(p) RETURNING id",
            "INSERT OR IGNORE INTO parent VALUES (\(p)), (\(p + 1)) RETURNING id",
            "DELETE FROM child WHERE id > \(p) RETURNING p",
        ]
        var unit = Unit([pick(writes, &random)])
        unit.statements[0].extent = pick([.rows(1), .rows(1), .leftOpen, .rows(2), .whole], &random)
        if chance(3, &random) { unit.statements += Unit([pick(writes, &random)]).statements }
        return unit
    }
}
