import Vigil
import VigilTesting
import XCTest

@testable import VigilEngine

/// Compares kept statements with new ones, in random sequences of executions and of changes that may give a
/// text another meaning. `VIGIL_SEED` repeats a failure.
final class KeptStatementRandomTests: XCTestCase {
    private static let counts = [100, 2, 0]

    func testKeptStatementsReturnWhatNewOnesReturn() throws {
        let begin = RandomTestSettings.seed
        for (name, backend) in testedBackends {
            for number in 0..<UInt64(RandomTestSettings.rounds(3)) {
                let seed = begin &+ number
                let world = try KeptStatementWorld(backend, seed: seed, count: Self.counts[Int(number % 3)])
                if let problem = try world.run(steps: 80) {
                    return XCTFail("\(name), VIGIL_SEED=\(seed): \(problem)")
                }
            }
        }
    }
}

/// A connection with tables, functions and collations of which several have the same name.
private final class KeptStatementWorld {
    private enum Change {
        case schema(String)
        case function(DatabaseFunction, isAdded: Bool)
        case collation(DatabaseCollation)
        case other(String)
    }

    private static let texts = [
        "SELECT * FROM t", "SELECT a FROM u ORDER BY a", "SELECT COUNT(*), max(a) FROM u WHERE a >= ?1",
        "SELECT f(a) FROM t ORDER BY rowid", "SELECT f(?1, a) FROM t ORDER BY rowid", "SELECT * FROM v",
        "SELECT b FROM t ORDER BY b COLLATE c", "SELECT a FROM t WHERE b LIKE 'X%' ORDER BY rowid",
        "SELECT (SELECT COUNT(*) FROM u) + (SELECT COUNT(*) FROM t)", "INSERT INTO u(a) VALUES (?1)",
        "INSERT INTO t(a, b) VALUES (?1, 'x' || ?1)", "UPDATE t SET a = a + 1 WHERE a = ?1", "DELETE FROM u",
        "DELETE FROM t WHERE a > ?1",
    ]

    private let dbQueue: DatabaseQueue
    private var random: SplitMix64
    private var columnCount = 0
    private var history: [String] = []

    init(_ backend: any StorageBackend, seed: UInt64, count: Int) throws {
        random = SplitMix64(seed: seed)
        var configuration = Configuration()
        configuration.backend = backend
        configuration.maximumKeptStatementCount = count
        dbQueue = try DatabaseQueue(configuration: configuration)
        try dbQueue.writeWithoutTransaction { db in
            db.add(function: DatabaseFunction("f") { "any \($0.count)" })
            db.add(collation: DatabaseCollation("c") { $0.compare($1) })
            try db.execute(
                sql: """
                    CREATE TABLE t(a INTEGER, b TEXT); INSERT INTO t VALUES (1, 'x1'), (2, 'X2'), (3, 'y3');
                    ATTACH ':memory:' AS other;
                    CREATE TABLE other.u(a); INSERT INTO other.u VALUES (10), (20);
                    CREATE TABLE other.v(a); INSERT INTO other.v VALUES (30);
                    """)
        }
    }

    /// Returns the first difference, or `nil`.
    func run(steps: Int) throws -> String? {
        try dbQueue.writeWithoutTransaction { db in
            for _ in 0..<steps {
                if Int.random(in: 0..<4, using: &random) == 0 {
                    change(db)
                } else if let difference = try compare(db) {
                    return "\(difference), after: \(history.suffix(40).joined(separator: "; "))"
                }
            }
            return nil
        }
    }

    // MARK: - Comparing

    private func compare(_ db: Database) throws -> String? {
        let sql = Self.texts.randomElement(using: &random) ?? ""
        let values: StatementArguments = sql.contains("?1") ? [Int.random(in: 0...4, using: &random)] : []
        history.append(sql)
        var results: [String] = []
        // The changes of the first execution are undone, so that both begin with the same rows.
        for isKept in [true, false] {
            try db.execute(sql: "SAVEPOINT comparison")
            results.append(result(of: sql, values, isKept: isKept, db))
            try db.execute(sql: "ROLLBACK TO comparison; RELEASE comparison")
        }
        return results[0] == results[1] ? nil : "\(sql): \(results[0]) instead of \(results[1])"
    }

    /// Returns the rows, columns and region of a text, and the rows of all tables if it may have changed
    /// them.
    private func result(of sql: String, _ values: StatementArguments, isKept: Bool, _ db: Database) -> String
    {
        do {
            let statement = isKept ? try db.leaseStatement(sql: sql) : try db.makeStatement(sql: sql)
            let rows = try Row.fetchAll(statement, arguments: values)
            var result = "\(statement.columnNames) \(rows) \(statement.databaseRegion)"
            guard !statement.isReadonly else { return result }
            for table in ["main.t", "temp.t", "main.u", "other.u"] {
                let rows = try? Row.fetchAll(db.makeStatement(sql: "SELECT * FROM \(table) ORDER BY rowid"))
                result += " \(table) \(rows?.description ?? "is missing")"
            }
            return result
        } catch {
            return (error as? DatabaseError)?.message ?? "\(error)"
        }
    }

    // MARK: - Changing

    private func change(_ db: Database) {
        switch randomChange() {
        case .schema(let sql):
            history.append(sql)
            // Some changes fail, such as dropping a table that does not exist.
            try? db.execute(sql: sql)
        case .function(let function, let isAdded):
            history.append("\(isAdded ? "add" : "remove") f, \(function.id)")
            if isAdded { db.add(function: function) } else { db.remove(function: function) }
        case .collation(let collation):
            history.append("replace c")
            db.add(collation: collation)
        case .other(let sql):
            history.append(sql)
            try? db.execute(sql: sql)
        }
        if db.isInsideTransaction { try? db.rollback() }
    }

    private func randomChange() -> Change {
        switch Int.random(in: 0..<8, using: &random) {
        case 0:
            let count = [1, 2].randomElement(using: &random)
            let name = "new \(Int.random(in: 0...9, using: &random))"
            return .function(DatabaseFunction("f", argumentCount: count) { _ in name }, isAdded: true)
        case 1:
            let count = [1, 2].randomElement(using: &random)
            return .function(DatabaseFunction("f", argumentCount: count) { _ in nil }, isAdded: false)
        case 2:
            let ascends = Bool.random(using: &random)
            return .collation(DatabaseCollation("c") { ascends ? $0.compare($1) : $1.compare($0) })
        case 3:
            return .other("PRAGMA case_sensitive_like = \(Int.random(in: 0...1, using: &random))")
        case 4:
            columnCount += 1
            return .schema("ALTER TABLE main.t ADD COLUMN n\(columnCount) DEFAULT \(columnCount)")
        default:
            let changes = [
                "CREATE TABLE main.u AS SELECT 7 AS a, 8 AS b", "DROP TABLE main.u",
                "CREATE VIEW main.v AS SELECT a, b FROM t", "DROP VIEW main.v",
                "CREATE TEMP TABLE t AS SELECT 5 AS a, 'X5' AS b, 6 AS c", "DROP TABLE temp.t",
                "BEGIN; CREATE TABLE main.u(a, z); INSERT INTO u VALUES (1, 2); ROLLBACK",
                "DROP TABLE main.t; CREATE TABLE main.t(b TEXT, a); INSERT INTO main.t VALUES ('Xz', 3)",
            ]
            return .schema(changes.randomElement(using: &random) ?? "")
        }
    }
}
