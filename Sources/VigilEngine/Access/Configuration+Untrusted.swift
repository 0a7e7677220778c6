extension Configuration {
    /// For files of unknown origin, which may have been made to do harm.
    ///
    /// ```swift
    /// var configuration = Configuration.untrusted
    /// configuration.readonly = true
    /// let dbQueue = try DatabaseQueue(path: attachment.path, configuration: configuration)
    /// ```
    ///
    /// What the library offers is done, as far as its version goes:
    /// - from 3.12 and 3.13 on, no full-text tokenizer named by an address, and no native extensions;
    /// - from 3.26 on, defensive mode: SQL cannot write the schema's own storage;
    /// - from 3.31 on, no trust in the schema: views and triggers of the file cannot call functions that do more than
    ///   compute, nor those of the app;
    /// - cells are checked for their size when they are read, and the file is not mapped into memory;
    /// - low limits: values of 100 MB, SQL of 1 MB, 500 columns, expressions 100 deep, 50 terms of a compound
    ///   select, 1,000,000 instructions per statement, patterns of 1,000 bytes, triggers 10 deep, one attached database.
    ///
    /// A damaged file can still give wrong answers: run `PRAGMA quick_check` where that matters. See
    /// https://www.sqlite.org/security.html.
    public static var untrusted: Configuration {
        var configuration = Configuration()
        configuration.trustsFile = false
        return configuration
    }
}
