// Constants of SQLite's stable C interface.

/// Result codes, and the authorizer's answers `SQLITE_DENY` and `SQLITE_IGNORE`.
enum SQLiteCode {
    static let ok: Int32 = 0
    static let error: Int32 = 1
    static let outOfMemory: Int32 = 7
    static let row: Int32 = 100
    static let done: Int32 = 101
    static let authorizerDeny: Int32 = 1
    static let authorizerIgnore: Int32 = 2
}

/// Extended codes of `SQLITE_READONLY` for reads that would have to write. Connections with write access only
/// get `directory`, for writes.
enum SQLiteReadOnlyCode {
    static let recovery: Int32 = 8 | (1 << 8)
    static let rollback: Int32 = 8 | (3 << 8)
    static let cannotInitialize: Int32 = 8 | (5 << 8)
    static let directory: Int32 = 8 | (6 << 8)
}

enum SQLiteFileControl {
    static let persistLog: Int32 = 10
    static let hasMoved: Int32 = 20
}

enum SQLiteStatementStatus {
    static let steps: Int32 = 4
    /// The number of recompilations of the statement before its runs.
    static let recompilations: Int32 = 5
}

enum SQLiteDatabaseStatus {
    static let cacheHits: Int32 = 7
    static let cacheMisses: Int32 = 8
    static let deferredForeignKeys: Int32 = 10
}

enum SQLiteOpenFlag {
    static let readOnly: Int32 = 0x1
    static let readWrite: Int32 = 0x2
    static let create: Int32 = 0x4
    static let uri: Int32 = 0x40
    static let noMutex: Int32 = 0x8000
}

enum SQLiteType {
    static let integer: Int32 = 1
    static let float: Int32 = 2
    static let text: Int32 = 3
    static let blob: Int32 = 4
}

enum SQLiteDatabaseConfig {
    static let foreignKeys: Int32 = 1002
    static let enableFTS3Tokenizer: Int32 = 1004
    static let enableLoadExtension: Int32 = 1005
    static let defensive: Int32 = 1010
    static let doubleQuotedStringsInDML: Int32 = 1013
    static let doubleQuotedStringsInDDL: Int32 = 1014
    static let trustedSchema: Int32 = 1017
}

/// The kinds of changes reported by the update and pre-update hooks.
enum SQLiteOperation {
    static let delete: Int32 = 9
    static let insert: Int32 = 18
    static let update: Int32 = 23
}

/// The actions passed to the authorizer.
enum SQLiteAction: Int32 {
    case createIndex = 1
    case createTable
    case createTempIndex
    case createTempTable
    case createTempTrigger
    case createTempView
    case createTrigger
    case createView
    case delete
    case dropIndex
    case dropTable
    case dropTempIndex
    case dropTempTable
    case dropTempTrigger
    case dropTempView
    case dropTrigger
    case dropView
    case insert
    case pragma
    case read
    case select
    case transaction
    case update
    case attach
    case detach
    case alterTable
    case reindex
    case analyze
    case createVirtualTable
    case dropVirtualTable
    case function
    case savepoint
    case recursive
}

/// `SQLITE_TRANSIENT`: makes SQLite copy bound memory, only valid during the call.
let copiesBoundMemory = unsafeBitCast(
    -1, to: (@convention(c) (UnsafeMutableRawPointer?) -> Void)?.self)

/// The text encodings of functions and collations, and the properties of functions.
enum SQLiteFunctionFlag {
    static let utf8: Int32 = 1
    static let deterministic: Int32 = 0x800
    static let innocuous: Int32 = 0x200000
}

enum SQLiteLimit {
    static let length: Int32 = 0
    static let sqlLength: Int32 = 1
    static let columns: Int32 = 2
    static let expressionDepth: Int32 = 3
    static let compoundSelect: Int32 = 4
    static let programLength: Int32 = 5
    static let attached: Int32 = 7
    static let functionArguments: Int32 = 6
    static let patternLength: Int32 = 8
    static let variableNumber: Int32 = 9
    static let triggerDepth: Int32 = 10
}
