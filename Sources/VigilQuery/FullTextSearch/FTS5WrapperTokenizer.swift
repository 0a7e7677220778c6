import VigilEngine

/// Passes a token to the library.
///
/// ```swift
/// try tokenCallback(token.lowercased(), flags)
/// ```
///
/// Throws an error if the library ends the tokenization. Do not catch it.
public typealias FTS5WrapperTokenCallback = (_ token: String, _ flags: FTS5TokenFlags) throws -> Void

/// A tokenizer that changes the tokens of another one.
///
/// ```swift
/// final class StopWordsTokenizer: FTS5WrapperTokenizer {
///     static let name = "stopWords"
///     let wrappedTokenizer: any FTS5Tokenizer
///
///     init(db: Database, arguments: [String]) throws {
///         wrappedTokenizer = try db.makeTokenizer(.unicode61())
///     }
///
///     func accept(
///         token: String, flags: FTS5TokenFlags, for tokenization: FTS5Tokenization,
///         tokenCallback: FTS5WrapperTokenCallback
///     ) throws {
///         if !["a", "an", "the"].contains(token) { try tokenCallback(token, flags) }
///     }
/// }
/// ```
public protocol FTS5WrapperTokenizer: FTS5CustomTokenizer {
    /// The tokenizer for splitting the text.
    var wrappedTokenizer: any FTS5Tokenizer { get }

    /// Receives a token of the wrapped tokenizer, and passes any number of tokens to the callback.
    ///
    /// - Throws: The errors of `tokenCallback`, or an error to fail the statement.
    func accept(
        token: String, flags: FTS5TokenFlags, for tokenization: FTS5Tokenization,
        tokenCallback: FTS5WrapperTokenCallback
    ) throws
}

/// A tokenization by a wrapper, while the wrapped tokenizer runs.
private struct WrapperContext {
    let tokenizer: any FTS5WrapperTokenizer
    let tokenization: FTS5Tokenization
    let context: UnsafeMutableRawPointer?
    let tokenCallback: FTS5TokenCallback

    /// Passes a token to the wrapper, and the tokens of the wrapper to the library.
    func accept(_ token: String, flags: CInt, from start: CInt, to end: CInt) -> CInt {
        do {
            try tokenizer.accept(
                token: token, flags: FTS5TokenFlags(rawValue: flags), for: tokenization
            ) { token, flags in
                var token = token
                let code = token.withUTF8 { bytes in
                    bytes.withMemoryRebound(to: CChar.self) { bytes in
                        bytes.isEmpty
                            ? 0
                            : tokenCallback(
                                context, flags.rawValue, bytes.baseAddress, CInt(clamping: bytes.count),
                                start,
                                end)
                    }
                }
                guard code == 0 else {
                    throw DatabaseError(
                        resultCode: ResultCode(rawValue: code), message: "the library ended the tokenization")
                }
            }
            return 0
        } catch let error as DatabaseError {
            return error.extendedResultCode.rawValue
        } catch {
            return ResultCode.SQLITE_ERROR.rawValue
        }
    }
}

extension FTS5WrapperTokenizer {
    /// Passes the tokens of the wrapped tokenizer through ``accept(token:flags:for:tokenCallback:)``.
    public func tokenize(
        context: UnsafeMutableRawPointer?, tokenization: FTS5Tokenization, pText: UnsafePointer<CChar>?,
        nText: CInt, tokenCallback: @escaping FTS5TokenCallback
    ) -> CInt {
        var wrapper = WrapperContext(
            tokenizer: self, tokenization: tokenization, context: context, tokenCallback: tokenCallback)
        return withUnsafeMutablePointer(to: &wrapper) { wrapper in
            wrappedTokenizer.tokenize(
                context: wrapper, tokenization: tokenization, pText: pText, nText: nText
            ) { context, flags, pToken, nToken, start, end in
                guard let context else { return ResultCode.SQLITE_ERROR.rawValue }
                return context.assumingMemoryBound(to: WrapperContext.self).pointee
                    .accept(tokenText(pToken, nToken), flags: flags, from: start, to: end)
            }
        }
    }
}
