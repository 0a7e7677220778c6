import VigilStorage

extension SQLParser {
    /// Parses the rest of a transaction statement, after its first word in lower case.
    mutating func transaction(_ verb: String) throws(StorageError) -> TransactionCommand {
        switch verb {
        case "begin": return begin()
        case "savepoint": return .savepoint(try name())
        case "release":
            _ = take("SAVEPOINT")
            return .release(try name())
        case "rollback":
            _ = take("TRANSACTION")
            guard take("TO") else { return .rollback }
            _ = take("SAVEPOINT")
            return .rollbackTo(try name())
        default:
            _ = take("TRANSACTION")
            return .commit
        }
    }

    private mutating func begin() -> TransactionCommand {
        var command = TransactionCommand.beginDeferred
        if take("IMMEDIATE") {
            command = .beginImmediate
        } else if take("EXCLUSIVE") {
            command = .beginExclusive
        } else {
            _ = take("DEFERRED")
        }
        _ = take("TRANSACTION")
        return command
    }
}
