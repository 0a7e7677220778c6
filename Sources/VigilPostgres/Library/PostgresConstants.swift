/// `ConnStatusType` of libpq.
enum PostgresConnectionStatus {
    static let ok: UInt32 = 0
}

/// `ExecStatusType` of libpq.
enum PostgresResultStatus {
    static let emptyQuery: UInt32 = 0
    static let commandOK: UInt32 = 1
    static let tuplesOK: UInt32 = 2
    static let copyOut: UInt32 = 3
    static let copyIn: UInt32 = 4
    static let fatalError: UInt32 = 7
    static let copyBoth: UInt32 = 8
    /// One row of a result received row by row.
    static let singleTuple: UInt32 = 9
    static let pipelineSync: UInt32 = 10
}

/// `PGTransactionStatusType` of libpq.
enum PostgresTransactionStatus {
    static let inTransaction: UInt32 = 2
    static let inError: UInt32 = 3
}

/// The fields of an error message.
enum PostgresErrorField {
    /// `ERROR`, `FATAL` or `PANIC`, in English.
    static let severity = Int32(UInt8(ascii: "V"))
    static let sqlState = Int32(UInt8(ascii: "C"))
    static let primaryMessage = Int32(UInt8(ascii: "M"))
    static let hint = Int32(UInt8(ascii: "H"))
    static let schemaName = Int32(UInt8(ascii: "s"))
    static let tableName = Int32(UInt8(ascii: "t"))
    static let columnName = Int32(UInt8(ascii: "c"))
    static let typeName = Int32(UInt8(ascii: "d"))
    static let constraint = Int32(UInt8(ascii: "n"))
}
