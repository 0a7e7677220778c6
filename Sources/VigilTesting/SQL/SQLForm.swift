import VigilStorage

/// A statement as it is written: names are not looked up yet.
enum SQLForm {
    case createTable(SQLTableDefinition, ifNotExists: Bool)
    case dropTable(String, ifExists: Bool)
    case insert(SQLInsertion)
    case update(SQLUpdate)
    case delete(from: String, [SQLCondition])
    case select(SQLSelection)
    case transaction(TransactionCommand)
}

struct SQLTableDefinition {
    struct Column {
        var name: String
        var type = ""
        var isNotNull = false
        var isUnique = false
        var isPrimaryKey = false
    }

    var name: String
    var columns: [Column] = []
    var sql = ""
}

/// What happens to a row that breaks a constraint.
enum SQLConflict: Sendable {
    case abort
    case ignore
    case replace
}

struct SQLInsertion {
    var table: String
    var conflict = SQLConflict.abort
    /// `nil` for all columns of the table.
    var columns: [String]?
    var rows: [[SQLOperand]] = []
}

struct SQLUpdate {
    enum Value {
        case operand(SQLOperand)
        case column(String)
        case sum(column: String, SQLOperand, isSubtraction: Bool)
    }

    var table: String
    var assignments: [(column: String, value: Value)] = []
    var conditions: [SQLCondition] = []
}

struct SQLCondition {
    var column: String
    var test: SQLTest
}

enum SQLTest: Sendable {
    enum Comparison: Sendable {
        case equal
        case less
        case lessOrEqual
        case greater
        case greaterOrEqual
    }

    case isNull
    case compares(Comparison, SQLOperand)
}

struct SQLSelection {
    enum Result {
        case all
        case columns([String])
        case count
        case maximum(String)
    }

    var result: Result
    /// The texts of ``result``'s aggregate, which is its column's name.
    var aggregateText = ""
    var table: String
    var conditions: [SQLCondition] = []
    var order: (column: String, isDescending: Bool)?
    var limit: SQLOperand?
}

/// Something with a value that is known when the statement runs.
enum SQLOperand: Sendable {
    case value(StorageValue)
    /// Counted from 1 on.
    case parameter(Int)

    func value(_ bindings: [StorageValue]) -> StorageValue {
        switch self {
        case .value(let value): value
        case .parameter(let index): bindings[index - 1]
        }
    }
}

/// The parameters of a statement: numbered as SQLite numbers them.
struct SQLParameters {
    private(set) var names: [String?] = []
    /// Where parameters stand in the text of the statement.
    private(set) var places: [(range: Range<Int>, index: Int)] = []

    /// - Parameter spelling: `?` is the next number, `?12` names one, a name has the number of its first mention.
    mutating func index(of spelling: String, at range: Range<Int>) throws(StorageError) -> Int {
        let index = try number(of: spelling)
        while names.count < index { names.append(nil) }
        if spelling != "?" { names[index - 1] = spelling }
        places.append((range, index))
        return index
    }

    private func number(of spelling: String) throws(StorageError) -> Int {
        if spelling == "?" { return names.count + 1 }
        if !spelling.hasPrefix("?") {
            return names.firstIndex(of: spelling).map { $0 + 1 } ?? names.count + 1
        }
        guard let number = Int(spelling.dropFirst()), (1...32_766).contains(number) else {
            throw StorageError(.error, "variable number must be between ?1 and ?32766")
        }
        return number
    }
}
