import Foundation
import VigilSQLite
import VigilStorage
import XCTest

/// Mirrors tables from the pages of random commits, and compares them with the database.
final class RandomPageTests: XCTestCase {
    func testMirrorsOfRandomWritesEqualTheirTables() throws {
        var random = SeededRandom.seeded()
        for round in 0..<RandomTestSettings.rounds(1) {
            var format = PageDatabase.Format()
            format.pageSize = random.pick([512, 512, 1024, 4096, 16384, 65536])
            format.autoVacuum = random.pick([0, 0, 0, 1, 2])
            format.encoding = random.pick(["UTF-8", "UTF-8", "UTF-16le", "UTF-16be"])
            format.reservedBytes =
                format.pageSize > 512 ? random.pick([0, 0, 12, 100]) : random.pick([0, 32])
            format.overwritesFreePages = random.once(in: 3)
            let message = "seed \(random.seed), round \(round), \(format)"
            var writer = PageWriter(random: random)
            let database = try PageDatabase(format, PageWriter.schema)
            for step in 0..<120 {
                try writer.commit(to: database.connection)
                // Some differences span several commits.
                if writer.random.once(in: 4) { continue }
                let noise = writer.random.once(in: 5) ? Set([1, UInt32(step % 40 + 1)]) : []
                try database.mirror.advance(noise: noise)
                try database.mirror.check("\(message), step \(step)")
                if testRun?.failureCount != 0 { return }
                // Only after the mirror has seen all frames: a checkpoint may restart the log.
                if writer.random.once(in: 20) { try writer.checkpoint(database.connection) }
            }
            random = writer.random
            let counts = database.mirror.counts
            if ProcessInfo.processInfo.environment["VIGIL_VERBOSE"] != nil {
                print(message, counts, database.mirror.errors)
            }
            XCTAssertGreaterThan(counts.rows, 300, message)
            XCTAssertLessThan(counts.coarse, 60, message)
        }
    }

    func testMirrorsOfDeepTreesEqualTheirTables() throws {
        var random = SeededRandom.seeded()
        for round in 0..<RandomTestSettings.rounds(1) {
            let database = try PageDatabase(
                .init(pageSize: 512, autoVacuum: random.pick([0, 1])),
                """
                CREATE TABLE w(k, v, PRIMARY KEY (k)) WITHOUT ROWID;
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
                INSERT INTO w SELECT printf('%090d', i), 0 FROM n;
                """)
            for step in 0..<60 {
                let message = "seed \(random.seed), round \(round), step \(step)"
                try database.connection.run("BEGIN")
                for _ in 0..<random.pick([1, 2, 3]) {
                    try writeDeepTree(database.connection, &random)
                }
                try database.connection.run("COMMIT")
                try database.mirror.advance()
                if step % 10 == 9 { try database.mirror.check(message) }
                XCTAssertEqual(database.mirror.errors, [], message)
                if testRun?.failureCount != 0 { return XCTFail(message) }
            }
        }
    }

    /// Changes ranges of rows, so that pages join and divide at each depth, and single rows elsewhere.
    private func writeDeepTree(_ connection: PageTestConnection, _ random: inout SeededRandom) throws {
        let start = Int.random(in: 0...3000, using: &random)
        let end = start + random.pick([1, 20, 200, 1000])
        let range = "k BETWEEN printf('%090d', \(start)) AND printf('%090d', \(end))"
        let single = "k = printf('%090d', \(Int.random(in: 0...3000, using: &random)))"
        if random.once(in: 3) {
            try connection.run(
                """
                WITH RECURSIVE n(i) AS (SELECT \(start) UNION ALL SELECT i + 1 FROM n WHERE i < \(end))
                INSERT OR IGNORE INTO w SELECT printf('%090d', i), \(start) FROM n
                """)
        } else {
            try connection.run("DELETE FROM w WHERE \(range)")
        }
        for _ in 0..<3 { try connection.run("UPDATE w SET v = v + 1 WHERE \(single)") }
    }
}

/// Random writes with the hazards of the file format.
struct PageWriter {
    var random: SeededRandom

    static let schema = """
        CREATE TABLE a(id INTEGER PRIMARY KEY, x, y INT);
        CREATE TABLE b(id INTEGER PRIMARY KEY, x, y INT, r REAL, s AS (y + 1), t AS (y + 2) STORED);
        CREATE TABLE k(id INTEGER PRIMARY KEY, x TEXT, y INT);
        CREATE TABLE p(x, y INT, id UNIQUE);
        CREATE TABLE w(v, g INT, k TEXT, r REAL, PRIMARY KEY (k, g)) WITHOUT ROWID;
        CREATE INDEX by ON b(y); CREATE INDEX px ON p(x); CREATE INDEX wv ON w(v);
        CREATE TRIGGER removal AFTER DELETE ON b BEGIN
          INSERT OR REPLACE INTO k(id, x, y) VALUES (old.id, old.x, old.y); END;
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400)
        INSERT INTO a SELECT i, printf('%.*c', i % 90, 's'), i % 50 FROM n;
        """

    mutating func commit(to connection: PageTestConnection) throws {
        try connection.run("BEGIN IMMEDIATE")
        for _ in 0..<random.pick([1, 1, 1, 2, 5, 50]) {
            let (sql, values) = statement()
            _ = try? connection.run(sql, values)
        }
        try connection.run(random.once(in: 10) ? "ROLLBACK" : "COMMIT")
        if random.once(in: 100) {
            try connection.run(
                random.pick([
                    "CREATE INDEX IF NOT EXISTS i ON a(y)", "DROP INDEX IF EXISTS i", "VACUUM",
                    "CREATE TABLE IF NOT EXISTS z(id INTEGER PRIMARY KEY, x, y)", "DROP TABLE IF EXISTS z",
                    "ALTER TABLE p ADD COLUMN more\(Int.random(in: 0...9999, using: &random)) DEFAULT 'más'",
                ]))
        }
        if random.once(in: 20) { try connection.run("PRAGMA incremental_vacuum(20)") }
    }

    mutating func checkpoint(_ connection: PageTestConnection) throws {
        let mode = random.pick(["PASSIVE", "FULL", "RESTART", "TRUNCATE"])
        try connection.run("PRAGMA wal_checkpoint(\(mode))")
    }

    /// Returns transactions as text, one statement per line, for programs that read statements.
    mutating func script(_ count: Int) -> String {
        var lines = ["PRAGMA busy_timeout = 30000;", "PRAGMA synchronous = off;"]
        for _ in 0..<count {
            lines.append("BEGIN IMMEDIATE;")
            for _ in 0..<random.pick([1, 1, 2, 5]) {
                let (sql, values) = statement()
                let parts = sql.split(separator: "?", omittingEmptySubsequences: false).map(String.init)
                let literals = values.map(\.literal) + [""]
                lines.append(zip(parts, literals).map { $0 + $1 }.joined() + ";")
            }
            lines.append(random.once(in: 10) ? "ROLLBACK;" : "COMMIT;")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private mutating func number(_ count: Int) -> StorageValue {
        .integer(Int64.random(in: 0..<Int64(count), using: &random))
    }

    private mutating func value() -> StorageValue {
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<10: .null
        case 10..<25: .integer(Int64.random(in: -(1 << 40)...(1 << 40), using: &random))
        case 25..<40: .integer(random.pick([0, 1, -1, 127, -128, 32768, -8_388_608, .min, .max]))
        case 40..<50: .real(Double.random(in: -1e10...1e10, using: &random))
        case 50..<55: .real(random.pick([0, 1, -5, 1e300, 281_474_976_710_656]))
        case 55..<80: .text(String(repeating: "é😀x", count: Int.random(in: 0..<15, using: &random)))
        case 80..<90:
            .blob((0..<Int.random(in: 0..<200, using: &random)).map { UInt8(truncatingIfNeeded: $0) })
        case 90..<97: .text(String(repeating: random.pick(["y", "z"]), count: 3000))
        default:
            .text(
                String(repeating: random.pick(["u", "v"]), count: .random(in: 1...100_000, using: &random)))
        }
    }

    private mutating func statement() -> (String, [StorageValue]) {
        let table = random.pick(["a", "b", "w", "p", "k"])
        let choice = Int.random(in: 0..<1000, using: &random)
        if table == "w" { return keyedStatement(choice) }
        switch choice {
        case 0..<400:
            let sql = "INSERT OR REPLACE INTO \(table)(id, x, y) VALUES (?, ?, ?)"
            return (sql, [number(700), value(), number(50)])
        case 400..<650: return ("UPDATE \(table) SET x = ? WHERE id = ?", [value(), number(700)])
        case 650..<750:
            // The same size: overflow pages are overwritten in place.
            let sql = "UPDATE \(table) SET x = replace(x, ?, ?) WHERE id % 9 = ? AND typeof(x) = 'text'"
            return (sql, [.text(random.pick(["y", "u"])), .text(random.pick(["z", "v"])), number(9)])
        case 750..<800: return ("UPDATE \(table) SET y = y + 1 WHERE y = ?", [number(50)])
        case 800..<830: return ("UPDATE b SET r = ? WHERE id < ?", [value(), number(20)])
        case 830..<860:
            return ("UPDATE OR IGNORE \(table) SET id = ? WHERE id = ?", [number(700), number(700)])
        case 860..<970: return ("DELETE FROM \(table) WHERE id = ?", [number(700)])
        case 970..<985: return ("DELETE FROM \(table) WHERE y < ?", [number(8)])
        case 985..<988: return ("DELETE FROM \(table)", [])
        default: return ("INSERT INTO p(x, y) SELECT x, y FROM a WHERE y = ?", [number(50)])
        }
    }

    private mutating func keyedStatement(_ choice: Int) -> (String, [StorageValue]) {
        let key = StorageValue.text("k\(Int.random(in: 0..<200, using: &random))")
        switch choice {
        case 0..<500:
            let sql = "INSERT OR REPLACE INTO w(k, g, v, r) VALUES (?, ?, ?, ?)"
            return (sql, [key, number(3), value(), number(9)])
        case 500..<700: return ("UPDATE w SET v = ? WHERE k = ?", [value(), key])
        case 700..<800:
            return ("UPDATE w SET v = replace(v, 'y', 'z') WHERE typeof(v) = 'text' AND k = ?", [key])
        case 800..<810: return ("DELETE FROM w", [])
        default: return ("DELETE FROM w WHERE k = ?", [key])
        }
    }
}

extension StorageValue {
    fileprivate var literal: String {
        switch self {
        case .null: "NULL"
        case .integer(let number): "\(number)"
        case .real(let number): "\(number)"
        case .text(let text): "'\(text.replacingOccurrences(of: "'", with: "''"))'"
        case .blob(let bytes): "x'\(bytes.map { String(format: "%02x", $0) }.joined())'"
        }
    }
}
