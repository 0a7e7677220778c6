package import VigilStorage

extension Database {
    /// Adds a tokenizer for full-text tables. If it cannot be added, the next statement of this connection
    /// throws the error.
    ///
    /// - Parameters:
    ///   - name: The name in the definitions of tables.
    ///   - make: Returns a tokenizer for the arguments in the definition of a table.
    package func addTokenizer(
        named name: String, make: @escaping (Database, [String]) throws -> any StorageTokenizer
    ) {
        change {
            // The database owns its connection: a factory must not retain the database.
            let factory = StorageTokenizerFactory(name: name) { [reference] arguments throws(StorageError) in
                guard let db = reference.database else {
                    throw StorageError(.misuse, "the database connection is closed")
                }
                db.functionCalls.willCall()
                defer { db.functionCalls.didReturn() }
                do {
                    return try make(db, arguments)
                } catch let error as DatabaseError {
                    throw StorageError(
                        .init(rawValue: error.extendedResultCode.rawValue),
                        error.message ?? error.extendedResultCode.text)
                } catch {
                    throw StorageError(.error, "\(error)")
                }
            }
            try storage { () throws(StorageError) in try tokenizerHost().add(factory) }
        }
    }

    /// Returns a tokenizer of the library, or one that was added.
    ///
    /// - Throws: `DatabaseError` if it does not exist or rejects the arguments.
    package func makeTokenizer(named name: String, arguments: [String]) throws -> any StorageTokenizer {
        checkConfinement()
        return try storage { () throws(StorageError) in
            try tokenizerHost().makeTokenizer(named: name, arguments: arguments)
        }
    }

    private func tokenizerHost() throws(StorageError) -> any EmbeddedConnection {
        guard let host = embedded else {
            throw StorageError(.misuse, "the backend does not support custom tokenizers")
        }
        return host
    }
}
