extension Configuration {
    /// A configuration for database files of unknown origin, which may be malicious.
    ///
    /// ```swift
    /// var configuration = Configuration.untrusted
    /// configuration.readonly = true
    /// let dbQueue = try DatabaseQueue(path: attachment.path, configuration: configuration)
    /// ```
    ///
    /// It enables the protections that the version of the library supports:
    /// - Since 3.12 and 3.13: full-text tokenizers cannot be registered by address, and native extensions
    ///   cannot be loaded.
    /// - Since 3.26: defensive mode, in which SQL cannot write to the storage of the schema.
    /// - Since 3.31: the schema is not trusted. Views and triggers of the file cannot call functions with
    ///   side effects, nor functions of the app.
    /// - The size of cells is checked when they are read, and the file is not memory-mapped.
    /// - Limits are low: values of 100 MB, SQL of 1 MB, 500 columns, expressions 100 levels deep, 50 terms in
    ///   a compound select, 1,000,000 instructions per statement, patterns of 1,000 bytes, triggers 10 levels
    ///   deep, one attached database.
    ///
    /// A damaged file can still return wrong results: run `PRAGMA quick_check` where that matters. See
    /// https://www.sqlite.org/security.html.
    public static var untrusted: Configuration {
        var configuration = Configuration()
        configuration.trustsFile = false
        return configuration
    }
}
