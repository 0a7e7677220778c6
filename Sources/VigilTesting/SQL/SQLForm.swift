import VigilStorage

/// A parsed statement with unresolved names.
enum SQLForm {
    case createTable(SQLTableDefinition, ifNotExists: Bool)
    case dropTable(String, ifExists: Bool)
    case insert(SQLInsertion)
    case update(SQLUpdate)
    case delete(from: String, [SQLCondition])
    case select(SQLSelect)
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

enum SQLConflict: Sendable {
    case abort
    case ignore
    case replace
}

struct SQLInsertion {
    var table: String
    var conflict = SQLConflict.abort
    /// The names of the columns; `nil` for all columns of the table.
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

struct SQLSelect {
    enum Result {
        case all
        case columns([String])
        case count
        case maximum(String)
    }

    var result: Result
    /// The text of the aggregate in ``result``: also the name of the result's column.
    var aggregateText = ""
    var table: String
    var conditions: [SQLCondition] = []
    var order: (column: String, isDescending: Bool)?
    var limit: SQLOperand?
    /// The text from WHERE to the end of the conditions; empty without any.
    var conditionText = ""
    /// The text from ORDER BY to the end of its term; empty without ORDER BY.
    var orderText = ""
}

/// A literal or a parameter.
enum SQLOperand: Sendable {
    case value(StorageValue)
    /// A parameter by its index, beginning with 1.
    case parameter(Int)

    /// Returns the value of the operand, given the values of all parameters.
    func value(_ bindings: [StorageValue]) -> StorageValue {
        switch self {
        case .value(let value): value
        case .parameter(let index): bindings[index - 1]
        }
    }
}

/// The parameters of a statement, with the indexes of SQLite.
struct SQLParameters {
    private(set) var names: [String?] = []
    /// The ranges of the parameters in the text of the statement, with their indexes.
    private(set) var places: [(range: Range<Int>, index: Int)] = []

    /// Adds an occurrence of a parameter and returns its index: the next one for `?`, 12 for `?12`, and the
    /// one of the first occurrence for a name.
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
