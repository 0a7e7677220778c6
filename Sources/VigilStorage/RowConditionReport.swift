/// What a statement's text says about the rows that matter to it.
public struct RowConditionReport: Sendable, Hashable {
    /// A part of the statement that was not made a condition, and why.
    public struct Omission: Sendable, Hashable {
        /// As the statement has it.
        public var text: String
        public var reason: String

        public init(text: String, reason: String) {
            self.text = text
            self.reason = reason
        }
    }

    /// The tables with conditions. Any row of any other table may matter.
    public var tables: [TableConditions] = []
    public var omissions: [Omission] = []

    public init() {}

    /// The conditions with values in place of the parameters. A table that is not there has none: any of its rows may
    /// matter.
    ///
    /// Of a table that is there, a row matters if it meets *all* conditions of *one* of the lists. There is at least
    /// one list, and none is empty.
    ///
    /// - Parameter argument: the value of a parameter, from 1 on.
    public func bound(_ argument: (Int) -> StorageValue) -> [TableName: [[RowCondition]]] {
        var result: [TableName: [[RowCondition]]] = [:]
        for table in tables {
            let alternatives = table.alternatives.map { $0.compactMap { $0.bound(argument) } }
            guard !alternatives.isEmpty, !alternatives.contains(where: \.isEmpty) else { continue }
            result[table.table] = alternatives
        }
        return result
    }
}

/// Conditions on the rows of one table.
public struct TableConditions: Sendable, Hashable {
    public var table: TableName
    /// One for each time that the statement names the table. A row that does not meet all conditions of at least one
    /// makes no difference to the result. None is empty.
    public var alternatives: [[RowConditionTemplate]]

    public init(_ table: TableName, alternatives: [[RowConditionTemplate]]) {
        self.table = table
        self.alternatives = alternatives
    }
}
