/// The conditions of a statement on its rows, with unbound parameters.
public struct RowConditionReport: Sendable, Hashable {
    /// A part of the statement's conditions that the report leaves out.
    public struct Omission: Sendable, Hashable {
        /// The text of the part in the statement.
        public var text: String
        /// A human-readable reason for leaving it out.
        public var reason: String

        /// Creates an omission.
        public init(text: String, reason: String) {
            self.text = text
            self.reason = reason
        }
    }

    /// The tables with conditions, all in ``StatementAccess/reads``. Any row of other tables may matter.
    public var tables: [TableConditions] = []
    /// The order of the result, if the last row that was read bounds the rows that matter. A row behind it
    /// must not make the statement fail either.
    public var order: ResultOrder?
    /// Whether the statement returns a part of a result, as by `LIMIT`. It then also depends on
    /// ``StorageStatement/orderingReads``.
    public var returnsPartOfRows = false
    /// The maximum lengths of text and blobs, in bytes, by the parameter's index. The first one is 1.
    ///
    /// If an argument is longer, the conditions do not hold, and the order bounds nothing, because the
    /// statement may then fail for any row.
    public var maximumLengths: [Int: Int] = [:]
    /// The omitted parts of the statement, for diagnostics.
    public var omissions: [Omission] = []

    /// Creates a report without conditions.
    public init() {}

    /// Returns the conditions with values in place of the parameters.
    ///
    /// A row of a table in the result matters only if it meets *all* conditions in at least *one* of the
    /// table's lists. There is at least one list, and no list is empty. Any row of a table that is not in the
    /// result may matter.
    ///
    /// - Parameter argument: returns the value of a parameter, given its index. The first one is 1.
    public func bound(_ argument: (Int) -> StorageValue) -> [TableName: [[RowCondition]]] {
        bound { index -> [StorageValue]? in [argument(index)] }
    }

    /// Returns the conditions with values in place of the parameters.
    ///
    /// - Parameter values: returns the value to compare with a parameter, several for an array, or `nil` if
    ///   it is not certain. See ``StorageStatement/comparedValues(of:at:)``.
    package func bound(_ values: (Int) -> [StorageValue]?) -> [TableName: [[RowCondition]]] {
        guard holds(for: { values($0)?.first ?? .null }) else { return [:] }
        var result: [TableName: [[RowCondition]]] = [:]
        for table in tables {
            let alternatives = table.alternatives.map { $0.compactMap { $0.bound(values) } }
            guard !alternatives.isEmpty, !alternatives.contains(where: \.isEmpty) else { continue }
            result[table.table] = alternatives
        }
        return result
    }

    /// Returns whether the conditions and the order hold for the values of the parameters.
    package func holds(for argument: (Int) -> StorageValue) -> Bool {
        maximumLengths.allSatisfy { parameter, length in argument(parameter).length <= length }
    }
}

/// The conditions of a statement on the rows of one table.
public struct TableConditions: Sendable, Hashable {
    /// The table, in the schema's spelling.
    public var table: TableName
    /// One list of conditions for each use of the table, and for each alternative of an OR.
    ///
    /// A row makes no difference to the result unless it meets all conditions of at least one list. There
    /// must be at least one list, and no list may be empty. If the statement names the table in a place
    /// without conditions, the table has none.
    public var alternatives: [[RowConditionTemplate]]

    /// Creates the conditions of a table.
    public init(_ table: TableName, alternatives: [[RowConditionTemplate]]) {
        self.table = table
        self.alternatives = alternatives
    }
}

extension StorageValue {
    /// The number of bytes of a text or blob; 0 for other values.
    fileprivate var length: Int {
        switch self {
        case .text(let text): text.utf8.count
        case .blob(let bytes): bytes.count
        case .null, .integer, .real: 0
        }
    }
}
