#if canImport(Combine) || OpenCombine
    /// A namespace for the publishers of databases and observations.
    ///
    /// ```swift
    /// let players: DatabasePublishers.Read<[Player]> = dbPool.readPublisher(value: Player.fetchAll)
    /// ```
    public enum DatabasePublishers {}
#else
    public import Vigil

    // The declarations of a build without publishers: their messages say what is missing.

    /// A namespace for the publishers of databases and observations.
    @available(
        *, unavailable, message: "without Combine, publishers need the trait OpenCombine of the package Vigil"
    )
    public enum DatabasePublishers {}

    extension ValueObservation {
        /// Returns a publisher of the observed values.
        @available(
            *, unavailable,
            message: "without Combine, publishers need the trait OpenCombine of the package Vigil"
        )
        public func publisher(in reader: any DatabaseReader) {}
    }

    extension DatabaseReader {
        /// Returns a publisher that reads a value.
        @available(
            *, unavailable,
            message: "without Combine, publishers need the trait OpenCombine of the package Vigil"
        )
        public func readPublisher<Output>(value: @escaping @Sendable (Database) throws -> Output) {}
    }

    extension DatabaseWriter {
        /// Returns a publisher that writes in a transaction.
        @available(
            *, unavailable,
            message: "without Combine, publishers need the trait OpenCombine of the package Vigil"
        )
        public func writePublisher<Output>(updates: @escaping @Sendable (Database) throws -> Output) {}
    }
#endif
