import VigilRegions
import VigilStorage

/// A database with one table of five rows. Each commit sets the rows that it changes to the commit's number.
struct ModelDatabase {
    static let table = TableName(name: "t")
    static let rows: ClosedRange<Int64> = 1...5

    /// The state after each commit; commit `n` created `states[n]`.
    private(set) var states = [[Int]](repeating: Array(repeating: 0, count: rows.count), count: 1)
    /// The rows that each commit changed.
    private(set) var changes: [Set<Int64>] = [[]]

    var lastCommit: Int { states.count - 1 }

    mutating func commit(_ rows: Set<Int64>) {
        var state = states[lastCommit]
        for row in rows { state[Int(row) - 1] = lastCommit + 1 }
        states.append(state)
        changes.append(rows)
    }

    /// Returns whether one of the commits changed one of the rows.
    func changed(_ rows: Set<Int64>, in commits: some Sequence<Int>) -> Bool {
        commits.contains { changes.indices.contains($0) && !changes[$0].isDisjoint(with: rows) }
    }
}

/// The query of a model observation.
enum ModelQuery: Hashable, CaseIterable {
    case second
    case all
    /// The first row selects which other row is read.
    case chosen

    func rows(in state: [Int]) -> Set<Int64> {
        switch self {
        case .second: [2]
        case .all: Set(ModelDatabase.rows)
        case .chosen: [1, Int64(2 + state[0] % 4)]
        }
    }

    func value(in state: [Int]) -> [Int] {
        rows(in: state).sorted().map { state[Int($0) - 1] }
    }

    func region(in state: [Int]) -> DatabaseRegion {
        DatabaseRegion(table: ModelDatabase.table, rowIds: rows(in: state))
    }
}
