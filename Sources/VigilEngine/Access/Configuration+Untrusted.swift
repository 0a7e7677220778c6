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
    /// - Since 3.26: defensive mode, which prevents SQL from writing to the storage of the schema.
    /// - Since 3.31: the schema is not trusted. Views and triggers of the file cannot call functions of the
    ///   library with side effects.
    /// - On all versions: no part of the file's schema can call a function of the app unless it is declared
    ///   harmless. A statement that needs such a call throws an error: a view, a trigger, a default value, a
    ///   constraint, a generated column, an index, or a virtual table. Statements of the app can still call
    ///   the function themselves. If one reads or changes a table whose definition also names the function,
    ///   it throws the error, too. Functions and statements that the app passes to the C library itself are
    ///   not covered.
    /// - The size of cells is checked when they are read, and the file is not memory-mapped.
    /// - Limits are low: values of 100 MB, SQL of 1 MB, 500 columns, expressions 100 levels deep, 50 terms in
    ///   a compound select, 1,000,000 instructions per statement, patterns of 1,000 bytes, triggers 10 levels
    ///   deep, one attached database.
    ///
    /// A damaged file can still return wrong results: run `PRAGMA quick_check` where that matters. Old
    /// libraries, such as SQLite 3.15, crash on some damaged files: use a current one. A query may run until
    /// it is interrupted. Views that name others several times can make compiling a statement take very long,
    /// without a way to interrupt it. Read such files in a process of their own. See
    /// https://www.sqlite.org/security.html.
    public static var untrusted: Configuration {
        var configuration = Configuration()
        configuration.trustsFile = false
        return configuration
    }
}
