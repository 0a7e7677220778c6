#if SQLCipher
    public import VigilEngine
    public import VigilSQLCipher
    import VigilSQLite
    import VigilStorage

    extension SQLCipherBackend {
        /// Converts a file of an older major version of SQLCipher to the settings of this backend.
        ///
        /// ```swift
        /// let backend = SQLCipherBackend(key: .passphrase(secret))
        /// try backend.migrate(path, from: 3)
        /// configuration.backend = backend
        /// ```
        ///
        /// Call this before the file is opened, each time: it returns at once if the backend opens the file.
        /// The file is replaced as by `DatabaseQueue.convert(_:from:to:)`.
        ///
        /// - Parameters:
        ///   - path: the path of the file. No other connection may have it open.
        ///   - compatibility: the major version of SQLCipher, 1 to 4, for which the file was created.
        ///   - configuration: the configuration of the database, with the functions and collations of its
        ///     indexes.
        ///   - progress: a closure, called from time to time. If it throws, the conversion is cancelled.
        /// - Returns: whether the file was converted; `false` if this backend opened it, or if it is missing.
        /// - Throws: the error of `progress`; `DatabaseError`, with `SQLITE_NOTADB` if neither this backend
        ///   nor the older settings open the file, with `SQLITE_BUSY` if another connection has it open.
        @discardableResult
        public func migrate(
            _ path: String, from compatibility: Int, configuration: Configuration = Configuration(),
            progress: ((DatabaseExportProgress) throws -> Void)? = nil
        ) throws -> Bool {
            guard FileIdentity(path: path) != nil else { return false }
            var (old, new) = (configuration, configuration)
            new.backend = self
            new.readonly = false
            do {
                try DatabaseQueue(path: path, configuration: new).close()
                return false
            } catch let error as DatabaseError
                where error.extendedResultCode
                == DatabaseError(StorageError(.wrongKey, "")).extendedResultCode
            {
                old.backend = with(settings: CipherSettings(compatibility: compatibility))
                try DatabaseQueue.convert(path, from: old, to: new, progress: progress)
                return true
            }
        }
    }
#endif
