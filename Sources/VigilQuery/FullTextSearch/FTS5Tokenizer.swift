public import VigilEngine
import VigilStorage

/// Receives a token of an ``FTS5Tokenizer``.
///
/// The arguments are the context passed to the tokenizer, ``FTS5TokenFlags``, the UTF-8 bytes of the token
/// and their number, and the offsets of the beginning and end of the token in the text. Returns 0, or an
/// error code to end the tokenization.
///
/// ```swift
/// let code = tokenCallback(context, 0, pToken, nToken, iStart, iEnd)
/// ```
public typealias FTS5TokenCallback =
    @convention(c) (
        _ context: UnsafeMutableRawPointer?, _ flags: CInt, _ pToken: UnsafePointer<CChar>?, _ nToken: CInt,
        _ iStart: CInt, _ iEnd: CInt
    ) -> CInt

/// The reason why text is split into tokens.
///
/// ```swift
/// // Synonyms are added to documents, not to patterns.
/// let addsSynonyms = tokenization.contains(.document)
/// ```
public struct FTS5Tokenization: OptionSet, Sendable {
    /// The bits of the reason.
    public let rawValue: CInt

    /// Creates a reason from bits.
    public init(rawValue: CInt) { self.rawValue = rawValue }

    /// The text is part of a pattern.
    public static let query = FTS5Tokenization(rawValue: 1)
    /// The text is a prefix in a pattern. Used together with ``query``.
    public static let prefix = FTS5Tokenization(rawValue: 2)
    /// The text is inserted or deleted.
    public static let document = FTS5Tokenization(rawValue: 4)
    /// A function, such as `highlight`, reads the text.
    public static let aux = FTS5Tokenization(rawValue: 8)
}

/// Properties of a token.
///
/// ```swift
/// // A synonym stands at the position of the previous token.
/// try tokenCallback("1st", flags.union(.colocated))
/// ```
public struct FTS5TokenFlags: OptionSet, Sendable {
    /// The bits of the flags.
    public let rawValue: CInt

    /// Creates flags from bits.
    public init(rawValue: CInt) { self.rawValue = rawValue }

    /// The token stands at the position of the previous one, as a synonym does.
    public static let colocated = FTS5TokenFlags(rawValue: 1)
}

/// A tokenizer of FTS5 tables.
///
/// ```swift
/// let tokenizer = try db.makeTokenizer(.porter())
/// let tokens = try tokenizer.tokenize(document: "Observed databases").map(\.token)
/// // ["observ", "databas"]
/// ```
///
/// To define a tokenizer, conform to ``FTS5WrapperTokenizer`` or ``FTS5CustomTokenizer``.
public protocol FTS5Tokenizer: AnyObject {
    /// Passes the tokens of a text to a callback.
    ///
    /// - Parameters:
    ///   - context: The first argument of the callback.
    ///   - tokenization: The reason.
    ///   - pText: The UTF-8 bytes of the text, without terminator.
    ///   - nText: The number of bytes.
    ///   - tokenCallback: Receives each token.
    /// - Returns: 0 or an error code, for example from the callback.
    func tokenize(
        context: UnsafeMutableRawPointer?, tokenization: FTS5Tokenization, pText: UnsafePointer<CChar>?,
        nText: CInt, tokenCallback: @escaping FTS5TokenCallback
    ) -> CInt
}

extension FTS5Tokenizer {
    /// Returns the tokens of a document.
    ///
    /// - Throws: `DatabaseError` if the tokenizer fails.
    public func tokenize(document string: String) throws -> [(token: String, flags: FTS5TokenFlags)] {
        try tokens(of: string, .document)
    }

    /// Returns the tokens of a text in a pattern.
    ///
    /// - Throws: `DatabaseError` if the tokenizer fails.
    public func tokenize(query string: String) throws -> [(token: String, flags: FTS5TokenFlags)] {
        try tokens(of: string, .query)
    }

    private func tokens(of string: String, _ tokenization: FTS5Tokenization) throws -> [(
        token: String, flags: FTS5TokenFlags
    )] {
        var tokens: [(token: String, flags: FTS5TokenFlags)] = []
        var string = string
        let code = string.withUTF8 { text in
            text.withMemoryRebound(to: CChar.self) { text in
                withUnsafeMutablePointer(to: &tokens) { tokens in
                    tokenize(
                        context: tokens, tokenization: tokenization, pText: text.baseAddress,
                        nText: CInt(clamping: text.count)
                    ) { context, flags, pToken, nToken, _, _ in
                        context?.assumingMemoryBound(to: [(token: String, flags: FTS5TokenFlags)].self)
                            .pointee.append((tokenText(pToken, nToken), FTS5TokenFlags(rawValue: flags)))
                        return 0
                    }
                }
            }
        }
        guard code == 0 else {
            throw DatabaseError(resultCode: ResultCode(rawValue: code), message: "the tokenizer failed")
        }
        return tokens
    }
}

func tokenText(_ bytes: UnsafePointer<CChar>?, _ count: CInt) -> String {
    let bytes = UnsafeRawBufferPointer(start: bytes, count: bytes == nil ? 0 : Int(count))
    return String(decoding: bytes, as: UTF8.self)
}

extension Database {
    /// Returns a tokenizer of the library, or one added with ``add(tokenizer:)``.
    ///
    /// ```swift
    /// let tokenizer = try db.makeTokenizer(.unicode61())
    /// ```
    ///
    /// - Throws: `DatabaseError` without such a tokenizer or FTS5, or if the tokenizer rejects its arguments.
    public func makeTokenizer(_ descriptor: FTS5TokenizerDescriptor) throws -> any FTS5Tokenizer {
        RegisteredTokenizer(try makeTokenizer(named: descriptor.name, arguments: descriptor.arguments))
    }
}

/// A tokenizer of a connection.
private final class RegisteredTokenizer: FTS5Tokenizer {
    private let tokenizer: any StorageTokenizer

    init(_ tokenizer: any StorageTokenizer) { self.tokenizer = tokenizer }

    func tokenize(
        context: UnsafeMutableRawPointer?, tokenization: FTS5Tokenization, pText: UnsafePointer<CChar>?,
        nText: CInt, tokenCallback: @escaping FTS5TokenCallback
    ) -> CInt {
        tokenizer.tokenize(
            pText, count: nText, reason: tokenization.rawValue, context: context, callback: tokenCallback)
    }
}
