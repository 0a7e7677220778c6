public import VigilEngine
import VigilStorage

/// A tokenizer defined by the program.
///
/// The protocol ``FTS5WrapperTokenizer`` is easier to conform to. With this one, the type passes the bytes of
/// each token to the library:
///
/// ```swift
/// final class LineTokenizer: FTS5CustomTokenizer {
///     static let name = "lines"
///
///     init(db: Database, arguments: [String]) {}
///
///     func tokenize(
///         context: UnsafeMutableRawPointer?, tokenization: FTS5Tokenization, pText: UnsafePointer<CChar>?,
///         nText: CInt, tokenCallback: @escaping FTS5TokenCallback
///     ) -> CInt {
///         tokenCallback(context, 0, pText, nText, 0, nText)
///     }
/// }
/// ```
///
/// Add a tokenizer to all connections to the table, in `Configuration.prepareDatabase`.
public protocol FTS5CustomTokenizer: FTS5Tokenizer {
    /// The name of the tokenizer in the definitions of tables.
    static var name: String { get }

    /// Creates a tokenizer for a table.
    ///
    /// - Parameters:
    ///   - db: The connection opening the table. Do not keep it.
    ///   - arguments: The arguments in the definition of the table.
    /// - Throws: An error if the arguments are not valid. The table then cannot be used.
    init(db: Database, arguments: [String]) throws
}

extension FTS5CustomTokenizer {
    /// Returns a descriptor of the tokenizer, for the definition of a table.
    ///
    /// ```swift
    /// try db.create(virtualTable: "document", using: FTS5()) { t in
    ///     t.tokenizer = StopWordsTokenizer.tokenizerDescriptor(arguments: ["unicode61"])
    ///     t.column("body")
    /// }
    /// ```
    public static func tokenizerDescriptor(arguments: [String] = []) -> FTS5TokenizerDescriptor {
        FTS5TokenizerDescriptor(components: [name] + arguments)
    }
}

extension Database {
    /// Adds a tokenizer for FTS5 tables.
    ///
    /// ```swift
    /// var configuration = Configuration()
    /// configuration.prepareDatabase { db in db.add(tokenizer: StopWordsTokenizer.self) }
    /// ```
    ///
    /// If the tokenizer cannot be added, because the library has no FTS5 or is older than SQLite 3.20, the
    /// next statement of this connection throws the error.
    public func add<Tokenizer: FTS5CustomTokenizer>(tokenizer: Tokenizer.Type) {
        addTokenizer(named: tokenizer.name) { db, arguments in
            HostedTokenizer(try tokenizer.init(db: db, arguments: arguments))
        }
    }
}

/// Adapts a tokenizer of the program to a connection.
private final class HostedTokenizer: StorageTokenizer {
    private let tokenizer: any FTS5Tokenizer

    init(_ tokenizer: any FTS5Tokenizer) { self.tokenizer = tokenizer }

    func tokenize(
        _ text: UnsafePointer<CChar>?, count: CInt, reason: CInt, context: UnsafeMutableRawPointer?,
        callback: @escaping StorageTokenCallback
    ) -> CInt {
        tokenizer.tokenize(
            context: context, tokenization: FTS5Tokenization(rawValue: reason), pText: text, nText: count,
            tokenCallback: callback)
    }
}
