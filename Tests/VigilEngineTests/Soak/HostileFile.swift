import Foundation
import Vigil
import VigilTesting

/// Files that an attacker could have made: schemas that never end or that name functions of the app, and
/// pages with random changes.
struct HostileFile {
    /// The content of a database file, and of a log beside it.
    private(set) var bytes: [UInt8]
    private(set) var log: [UInt8] = []

    private static let pageSize = 512

    // MARK: - Schemas

    /// Returns the files with hostile schemas that a library can create.
    ///
    /// - Parameter isRobust: whether the library survives damaged files. If not, R-trees, whose parts the
    ///   tests write, are left out.
    static func bases(_ backend: any StorageBackend, isRobust: Bool) throws -> [HostileFile] {
        try schemas.filter { isRobust || !$0.contains("rtree") }.compactMap { schema in
            let directory = try TemporaryDirectory()
            defer { withExtendedLifetime(directory) {} }
            let path = directory.file("base")
            var configuration = Configuration()
            configuration.backend = backend
            let author = try DatabaseQueue(path: path, configuration: configuration)
            let isPossible = author.inDatabase { db in
                db.add(function: DatabaseFunction("launch", pure: true) { _ in 1 })
                do {
                    try db.execute(
                        sql: "PRAGMA page_size = \(pageSize); PRAGMA foreign_keys = OFF;" + ordinary)
                    try db.execute(sql: schema)
                    return true
                } catch {
                    return false
                }
            }
            try author.close()
            guard isPossible else { return nil }
            return HostileFile(bytes: Array(try Data(contentsOf: URL(fileURLWithPath: path))))
        }
    }

    private static let ordinary = """
        CREATE TABLE t(id INTEGER PRIMARY KEY, a TEXT, b);
        CREATE INDEX i ON t(a, b);
        CREATE TABLE w(k PRIMARY KEY, v) WITHOUT ROWID;
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60)
        INSERT INTO t SELECT i, 'text ' || i, CASE i % 3 WHEN 0 THEN zeroblob(i * 20) ELSE i * 1.5 END FROM n;
        INSERT INTO w SELECT 'key ' || id, b FROM t;
        """

    private static var schemas: [String] {
        [
            "", deepViews,
            "CREATE VIEW v AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n",
            cyclicViews, cyclicTriggers, cyclicKeys, functions,
            "CREATE TABLE g(a, b AS (launch(a)), c AS (b || c2) STORED, c2 DEFAULT (launch())); INSERT INTO g(a) VALUES (1)",
            "CREATE VIRTUAL TABLE f USING fts4(a, compress=launch, uncompress=launch); INSERT INTO f VALUES ('one two')",
            "CREATE VIRTUAL TABLE f USING fts5(a, prefix='2'); INSERT INTO f VALUES ('one two'), ('three')",
            "CREATE VIRTUAL TABLE f USING fts4(a); INSERT INTO f VALUES ('one two'), ('three')",
            "CREATE VIRTUAL TABLE r USING rtree(id, x, y); INSERT INTO r VALUES (1, 0, 1), (2, 3, 4)",
            "PRAGMA auto_vacuum = FULL; VACUUM", "PRAGMA encoding = 'UTF-16'; CREATE TABLE late(a)",
            "ANALYZE",
        ]
    }

    /// A view that names another one twice doubles the work of compiling, which cannot be interrupted.
    private static var deepViews: String {
        "CREATE VIEW v0 AS SELECT id FROM t; CREATE VIEW w0 AS SELECT id FROM t;"
            + (1...150).map { "CREATE VIEW v\($0) AS SELECT id FROM v\($0 - 1) WHERE id > \($0);" }.joined()
            + (1...7).map { "CREATE VIEW w\($0) AS SELECT a.id FROM w\($0 - 1) a, w\($0 - 1) b;" }.joined()
    }

    private static let cyclicViews = """
        CREATE VIEW v AS SELECT 1 AS id; CREATE VIEW x AS SELECT id FROM v;
        PRAGMA writable_schema = ON;
        UPDATE sqlite_master SET sql = 'CREATE VIEW v AS SELECT id FROM x' WHERE name = 'v';
        """

    private static let cyclicTriggers = """
        CREATE TRIGGER x AFTER INSERT ON t BEGIN INSERT INTO w VALUES (new.id, 1); UPDATE t SET b = b; END;
        CREATE TRIGGER y AFTER INSERT ON w BEGIN INSERT INTO t(a) VALUES (new.k); DELETE FROM w; END;
        CREATE TRIGGER z AFTER UPDATE ON t BEGIN UPDATE t SET a = a || 'x'; END;
        """

    private static let cyclicKeys = """
        CREATE TABLE p(id INTEGER PRIMARY KEY, q REFERENCES q(id) ON DELETE CASCADE ON UPDATE CASCADE);
        CREATE TABLE q(id INTEGER PRIMARY KEY, p DEFAULT (launch()) REFERENCES p(id) ON DELETE SET DEFAULT);
        INSERT INTO p VALUES (1, 1), (2, 2); INSERT INTO q VALUES (1, 2), (2, 1);
        """

    private static let functions = """
        CREATE TABLE l(a CHECK (launch(a)), b DEFAULT (launch())); CREATE INDEX j ON t(launch(a)) WHERE launch(b);
        CREATE VIEW v AS SELECT launch(a) FROM t;
        CREATE TRIGGER x BEFORE UPDATE ON t WHEN launch() BEGIN SELECT launch(); END;
        """

    // MARK: - Changes of bytes

    mutating func mutate(_ random: inout SplitMix64) {
        switch Int.random(in: 0..<10, using: &random) {
        case 0: break
        case 1: setNumbers(in: 0..<100, &random)
        case 2: copyPage(&random)
        case 3:
            for index in page(&random) { bytes[index] = UInt8.random(in: .min ... .max, using: &random) }
        case 4: bytes.removeLast(Int.random(in: 0...bytes.count / 2, using: &random))
        case 5: changeSchemaText(&random)
        case 6:
            log = (0..<Int.random(in: 0...3000, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
        case 7: setNumbers(in: page(&random).prefix(12), &random)
        default:
            for _ in 0...Int.random(in: 0...40, using: &random) {
                bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(
                    in: 0...255, using: &random)
            }
        }
    }

    private func page(_ random: inout SplitMix64) -> Range<Int> {
        let start = Int.random(in: 0..<max(1, bytes.count / Self.pageSize), using: &random) * Self.pageSize
        return start..<min(start + Self.pageSize, bytes.count)
    }

    private mutating func copyPage(_ random: inout SplitMix64) {
        let (source, target) = (page(&random), page(&random))
        for (from, to) in zip(source, target) { bytes[to] = bytes[from] }
    }

    private mutating func setNumbers(in range: Range<Int>, _ random: inout SplitMix64) {
        let numbers: [[UInt8]] = [
            [0, 0], [255, 255], [127, 255, 255, 255], [128, 0, 0, 0], [0, 0, 0, 1], [255, 255, 255, 255], [0],
            [13],
        ]
        let range = range.clamped(to: bytes.indices)
        for _ in 0...2 {
            let number = numbers[Int.random(in: numbers.indices, using: &random)]
            guard range.count > number.count else { return }
            let start = Int.random(in: range.lowerBound..<range.upperBound - number.count, using: &random)
            bytes.replaceSubrange(start..<start + number.count, with: number)
        }
    }

    /// Replaces words of the schema by others of the same length.
    private mutating func changeSchemaText(_ random: inout SplitMix64) {
        for (word, other) in [
            ("TABLE", "VIEW "), ("id", "t "), ("SELECT", "DELETE"), ("(", "\0"), ("a", "("),
            ("AFTER", "BEFOR"),
        ] {
            // From a random place on, because searching everywhere takes long.
            let start = Int.random(in: 0..<min(4096, bytes.count), using: &random)
            guard let place = Data(bytes).range(of: Data(word.utf8), in: start..<bytes.count) else {
                continue
            }
            bytes.replaceSubrange(place, with: other.utf8)
        }
    }

    func write(to path: String) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        if !log.isEmpty { try Data(log).write(to: URL(fileURLWithPath: path + "-wal")) }
    }
}
