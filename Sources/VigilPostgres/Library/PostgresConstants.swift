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
}

/// `PGTransactionStatusType` of libpq.
enum PostgresTransactionStatus {
    static let idle: UInt32 = 0
    static let active: UInt32 = 1
    static let inTransaction: UInt32 = 2
    static let inError: UInt32 = 3
}

/// The fields of an error message.
enum PostgresErrorField {
    static let sqlState = Int32(UInt8(ascii: "C"))
    static let primaryMessage = Int32(UInt8(ascii: "M"))
    static let position = Int32(UInt8(ascii: "P"))
    static let constraint = Int32(UInt8(ascii: "n"))
}
