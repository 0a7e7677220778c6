import CVigilSQLite
package import VigilStorage

extension SQLiteConnection {
    package func add(_ factory: StorageTokenizerFactory) throws(StorageError) {
        try factory.name.checkForNullCharacter(in: "the name of the tokenizer")
        let fts5 = try fullTextSearch()
        var functions = vigil_fts5_tokenizer(
            create: {
                HostedTokenizerFactory.of($0)?.create(arguments: $1, count: $2, tokenizer: $3)
                    ?? SQLiteCode.error
            },
            destroy: { tokenizer in
                if let tokenizer { Unmanaged<TokenizerBox>.fromOpaque(tokenizer).release() }
            },
            tokenize: { tokenizer, context, flags, text, count, token in
                guard let tokenizer else { return SQLiteCode.error }
                return Unmanaged<TokenizerBox>.fromOpaque(tokenizer).takeUnretainedValue()
                    .tokenizer.tokenize(text, count: count, reason: flags, context: context, callback: token)
            })
        let hosted = Unmanaged.passRetained(HostedTokenizerFactory(factory, reporter: reporter))
        let code = fts5.pointee.create_tokenizer(
            fts5, factory.name, hosted.toOpaque(), &functions,
            { if let context = $0 { Unmanaged<HostedTokenizerFactory>.fromOpaque(context).release() } })
        guard code == SQLiteCode.ok else {
            hosted.release()
            throw StorageError(.init(rawValue: code), "cannot add the tokenizer \(factory.name)")
        }
    }

    package func makeTokenizer(named name: String, arguments: [String])
        throws(StorageError) -> any StorageTokenizer
    {
        for text in [name] + arguments {
            try text.checkForNullCharacter(in: "the name or an argument of the tokenizer")
        }
        let fts5 = try fullTextSearch()
        var functions = vigil_fts5_tokenizer()
        var context: UnsafeMutableRawPointer?
        guard fts5.pointee.find_tokenizer(fts5, name, &context, &functions) == SQLiteCode.ok else {
            throw StorageError(.error, "no such tokenizer: \(name)")
        }
        return try LibraryTokenizer(name, arguments: arguments, functions: functions, context: context)
    }

    private func fullTextSearch() throws(StorageError) -> UnsafeMutablePointer<vigil_fts5_api> {
        if let known = fullTextEntryPoints { return known }
        let handle = try openHandle()
        let entryPoints = withInternalStatements(recordsApart: true) { vigil_sqlite_fts5(api, handle) }
        guard let found = entryPoints else {
            throw StorageError(
                .misuse,
                "custom tokenizers need FTS5 and SQLite 3.20 or later, and the library \(library.description) "
                    + "\(api.pointee.bind_pointer == nil ? "is older" : "is built without FTS5")")
        }
        fullTextEntryPoints = found
        return found
    }
}

private final class HostedTokenizerFactory {
    private let factory: StorageTokenizerFactory
    /// The change reporter. It reports queued changes before the program's code is called, as for functions.
    private let reporter: ChangeReporter

    init(_ factory: StorageTokenizerFactory, reporter: ChangeReporter) {
        self.factory = factory
        self.reporter = reporter
    }

    static func of(_ context: UnsafeMutableRawPointer?) -> HostedTokenizerFactory? {
        context.map { Unmanaged<HostedTokenizerFactory>.fromOpaque($0).takeUnretainedValue() }
    }

    func create(
        arguments: UnsafeMutablePointer<UnsafePointer<CChar>?>?, count: Int32,
        tokenizer: UnsafeMutablePointer<UnsafeMutableRawPointer?>
    ) -> Int32 {
        reporter.reportQueuedChanges()
        let texts = (0..<Int(count)).map { arguments?[$0].map { String(cString: $0) } ?? "" }
        do throws(StorageError) {
            let made = TokenizerBox(try factory.make(texts))
            tokenizer.pointee = Unmanaged.passRetained(made).toOpaque()
            return SQLiteCode.ok
        } catch {
            return error.code.rawValue == SQLiteCode.ok ? SQLiteCode.error : error.code.rawValue
        }
    }
}

/// A tokenizer of the program, retained by a full-text table.
private final class TokenizerBox {
    let tokenizer: any StorageTokenizer

    init(_ tokenizer: any StorageTokenizer) { self.tokenizer = tokenizer }
}

private final class LibraryTokenizer: StorageTokenizer {
    private let functions: vigil_fts5_tokenizer
    private let tokenizer: UnsafeMutableRawPointer?

    init(
        _ name: String, arguments: [String], functions: vigil_fts5_tokenizer,
        context: UnsafeMutableRawPointer?
    ) throws(StorageError) {
        self.functions = functions
        // The tokenizers of the library read their arguments only while they are created.
        let texts = arguments.map { $0.utf8CString }
        var tokenizer: UnsafeMutableRawPointer?
        let code = withPointers(to: texts[...]) { pointers in
            var pointers = pointers
            return functions.create?(context, &pointers, Int32(arguments.count), &tokenizer)
                ?? SQLiteCode.error
        }
        self.tokenizer = tokenizer
        guard code == SQLiteCode.ok else {
            throw StorageError(.init(rawValue: code), "the tokenizer \(name) rejects its arguments")
        }
    }

    deinit {
        if let tokenizer { functions.destroy?(tokenizer) }
    }

    func tokenize(
        _ text: UnsafePointer<CChar>?, count: CInt, reason: CInt, context: UnsafeMutableRawPointer?,
        callback: @escaping StorageTokenCallback
    ) -> CInt {
        functions.tokenize?(tokenizer, context, reason, text, count, callback) ?? SQLiteCode.error
    }
}

private func withPointers<T>(
    to texts: ArraySlice<ContiguousArray<CChar>>, after pointers: [UnsafePointer<CChar>?] = [],
    _ body: ([UnsafePointer<CChar>?]) -> T
) -> T {
    guard let text = texts.first else { return body(pointers) }
    return text.withUnsafeBufferPointer {
        withPointers(to: texts.dropFirst(), after: pointers + [$0.baseAddress], body)
    }
}
