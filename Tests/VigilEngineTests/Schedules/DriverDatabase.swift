import Synchronization
import Vigil

@testable import VigilEngine

/// The state of a round's database: three tables of one row whose numbers have a constant sum, and one table
/// that selects which of them to read.
struct DriverState: Equatable {
    static let total = 300
    static let schema = """
        CREATE TABLE t0(n INTEGER, v INTEGER);
        CREATE TABLE t1(n INTEGER, v INTEGER);
        CREATE TABLE t2(n INTEGER, v INTEGER);
        CREATE TABLE s(w INTEGER);
        INSERT INTO t0 VALUES (100, 0);
        INSERT INTO t1 VALUES (100, 0);
        INSERT INTO t2 VALUES (100, 0);
        INSERT INTO s VALUES (0);
        """

    var numbers = [100, 100, 100]
    /// The transaction that last wrote each table, which makes each state of a table unique.
    var stamps = [0, 0, 0]
    var choice = 0

    func row(_ table: Int) -> [Int] { [numbers[table], stamps[table]] }
}

/// The query of an observation in a round.
enum DriverQuery: Equatable {
    case table(Int)
    case all
    /// The table that another table selects.
    case chosen

    func fetch(_ db: Database) throws -> [Int] {
        switch self {
        case .table(let table): try Self.row(table, db)
        case .all: try (0...2).flatMap { try Self.row($0, db) }
        case .chosen:
            try {
                let choice = try Int.fetchOne(db, sql: "SELECT w FROM s") ?? -1
                return try [choice] + Self.row(choice, db)
            }()
        }
    }

    private static func row(_ table: Int, _ db: Database) throws -> [Int] {
        let row = try Row.fetchOne(db, sql: "SELECT n, v FROM t\(table)")
        guard let row else { return [] }
        return [row["n"], row["v"]]
    }

    func value(in state: DriverState) -> [Int] {
        switch self {
        case .table(let table): state.row(table)
        case .all: (0...2).flatMap { state.row($0) }
        case .chosen: [state.choice] + state.row(state.choice)
        }
    }
}

/// The committed states, in order.
final class DriverHistory: Sendable {
    struct Entry {
        let number: UInt64
        let state: DriverState
    }

    private let entries = Mutex<[Entry]>([])

    var all: [Entry] { entries.withLock { $0 } }

    var last: DriverState { entries.withLock { $0.last?.state ?? DriverState() } }

    /// Appends a state. Called inside the access that committed it.
    func append(_ state: DriverState, _ db: Database) {
        let number = db.coordinator?.ledger.last.rawValue ?? 0
        entries.withLock { $0.append(Entry(number: number, state: state)) }
    }
}
