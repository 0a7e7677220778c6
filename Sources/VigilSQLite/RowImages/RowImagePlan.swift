import VigilStorage

/// The triggers for the row values of one table.
///
/// Each trigger calls a function, several times if the table has more columns than a function can have
/// arguments. The arguments of a call are its number, the key after the change, the key before it, and
/// values: the old ones in the order of ``columns``, then the new ones. A deleted row has no key after the
/// change: both keys are its own.
final class RowImagePlan {
    /// One call of the function.
    struct Part {
        let plan: RowImagePlan
        let kind: RowChange.Kind
        /// The position of the first value among the values of all calls of the trigger.
        let start: Int
        let isLast: Bool

        /// The number of values in all calls of the trigger.
        var valueCount: Int { plan.columns.count * (kind == .update ? 2 : 1) }
    }

    struct Trigger {
        let name: String
        let sql: String
    }

    static let functionName = "_vigil_images"
    /// The reserved prefix of the triggers' names.
    static let namePrefix = "_vigil_images_"

    static func isName(ofTrigger name: String) -> Bool { name.utf8.starts(with: namePrefix.utf8) }

    /// The number of arguments before the values.
    static let leadingArguments = 3

    let table: TableName
    let columns: [String]
    /// A name of the row id, different from all columns.
    let rowID: String

    init(table: TableName, columns: [String], rowID: String) {
        self.table = table
        self.columns = columns
        self.rowID = rowID
    }

    func isSame(as other: RowImagePlan) -> Bool {
        table == other.table && columns == other.columns && rowID == other.rowID
    }

    /// Generates the triggers and their calls. Increases `number`, that of the first call, by their number.
    func make(number: inout Int64, argumentLimit: Int) -> (triggers: [Trigger], parts: [Int64: Part]) {
        var triggers: [Trigger] = []
        var parts: [Int64: Part] = [:]
        for kind in [RowChange.Kind.insert, .update, .delete] {
            let name = "\(Self.namePrefix)\(number)"
            let values = values(of: kind)
            let chunk = max(1, argumentLimit - Self.leadingArguments)
            var calls: [String] = []
            for start in stride(from: 0, to: values.count, by: chunk) {
                let end = min(start + chunk, values.count)
                parts[number] = Part(plan: self, kind: kind, start: start, isLast: end == values.count)
                let arguments = ["\(number)"] + keys(of: kind) + values[start..<end]
                calls.append("SELECT \(Self.functionName)(\(arguments.joined(separator: ", ")));")
                number += 1
            }
            triggers.append(
                Trigger(
                    name: name,
                    sql: """
                        CREATE TEMP TRIGGER \(name.quotedSQLName) AFTER \(kind.keyword) \
                        ON \(table.schema.quotedSQLName).\(table.name.quotedSQLName) \
                        BEGIN \(calls.joined(separator: " ")) END
                        """))
        }
        return (triggers, parts)
    }

    private func keys(of kind: RowChange.Kind) -> [String] {
        switch kind {
        case .insert: ["NEW.\(rowID)", "NEW.\(rowID)"]
        case .update: ["NEW.\(rowID)", "OLD.\(rowID)"]
        case .delete: ["OLD.\(rowID)", "OLD.\(rowID)"]
        }
    }

    private func values(of kind: RowChange.Kind) -> [String] {
        let old = kind == .insert ? [] : columns.map { "OLD.\($0.quotedSQLName)" }
        let new = kind == .delete ? [] : columns.map { "NEW.\($0.quotedSQLName)" }
        return old + new
    }
}

extension RowChange.Kind {
    fileprivate var keyword: String {
        switch self {
        case .insert: "INSERT"
        case .update: "UPDATE"
        case .delete: "DELETE"
        }
    }
}
