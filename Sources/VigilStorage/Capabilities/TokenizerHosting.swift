/// A connection whose full-text tables can split text with tokenizers of the program.
public protocol TokenizerHosting: StorageConnection {
    /// Adds a tokenizer, or replaces the one of the same name for tables that are opened later.
    ///
    /// - Throws: ``StorageError/Code/misuse`` if the library has no full-text search with custom tokenizers.
    func add(_ factory: StorageTokenizerFactory) throws(StorageError)

    /// Returns a tokenizer of the library, or one that was added.
    ///
    /// - Throws: ``StorageError/Code/error`` if it does not exist or rejects the arguments,
    ///   ``StorageError/Code/misuse`` if the library has no full-text search with custom tokenizers.
    func makeTokenizer(named name: String, arguments: [String]) throws(StorageError) -> any StorageTokenizer
}

/// Creates the tokenizers of full-text tables.
///
/// ```swift
/// let factory = StorageTokenizerFactory(name: "words") { arguments in Words(arguments) }
/// ```
public struct StorageTokenizerFactory {
    /// The name of the tokenizer in the definitions of tables.
    public var name: String
    /// Returns a tokenizer for the arguments in the definition of a table.
    ///
    /// Called on the thread that uses the connection, in the middle of a statement.
    public var make: ([String]) throws(StorageError) -> any StorageTokenizer

    /// Creates a factory.
    public init(name: String, make: @escaping ([String]) throws(StorageError) -> any StorageTokenizer) {
        self.name = name
        self.make = make
    }
}

/// Receives a token.
///
/// The arguments are the context that was passed to the tokenizer, flags, the bytes of the token and their number, and
/// the offsets in the text where the token begins and ends. Returns 0 or the code of an error, which ends the
/// tokenization.
public typealias StorageTokenCallback =
    @convention(c) (
        _ context: UnsafeMutableRawPointer?, _ flags: CInt, _ token: UnsafePointer<CChar>?, _ count: CInt,
        _ start: CInt, _ end: CInt
    ) -> CInt

/// Splits text into tokens.
///
/// The types are those of C, because full-text search passes each token of each document through this function.
public protocol StorageTokenizer: AnyObject {
    /// Passes the tokens of a text to a callback.
    ///
    /// - Parameters:
    ///   - text: The bytes of the text, which are not terminated.
    ///   - count: The number of bytes.
    ///   - reason: Why the text is split, in bits: 1 for a query, 2 for a prefix in a query, 4 for a document, 8 for a
    ///     function.
    ///   - context: The first argument of the callback.
    ///   - callback: Receives each token.
    /// - Returns: 0 or the code of an error, such as that of the callback.
    func tokenize(
        _ text: UnsafePointer<CChar>?, count: CInt, reason: CInt, context: UnsafeMutableRawPointer?,
        callback: @escaping StorageTokenCallback
    ) -> CInt
}
