// Programs that import this module need no import of Vigil.
@_exported public import Vigil

#if canImport(Combine) || OpenCombine
    /// A namespace for the publishers of databases and observations.
    ///
    /// ```swift
    /// let players: DatabasePublishers.Read<[Player]> = dbPool.readPublisher(value: Player.fetchAll)
    /// ```
    public enum DatabasePublishers {}
#else
    public import Dispatch

    // The declarations of a build without publishers: their messages say what is missing.

    /// A namespace for the publishers of databases and observations.
    @available(
        *, unavailable, message: "without Combine, publishers need the trait OpenCombine of the package Vigil"
    )
    public enum DatabasePublishers {
        /// The type of publishers. The compiler names it in the message about a missing member.
        public struct TraitOpenCombineIsMissing {
            init() {}
        }
    }

    extension ValueObservation {
        /// Returns a publisher of the observed values.
        @available(
            *, unavailable,
            message: "without Combine, publishers need the trait OpenCombine of the package Vigil"
        )
        public func publisher(
            in reader: any DatabaseReader,
            scheduling scheduler: some ValueObservationScheduler = .async(onQueue: .main)
        ) -> DatabasePublishers.TraitOpenCombineIsMissing { .init() }
    }

    extension SharedValueObservation {
        /// Returns a publisher of the observed values.
        @available(
            *, unavailable,
            message: "without Combine, publishers need the trait OpenCombine of the package Vigil"
        )
        public func publisher() -> DatabasePublishers.TraitOpenCombineIsMissing { .init() }
    }

    extension DatabaseRegionObservation {
        /// Returns a publisher of the transactions that modify the region.
        @available(
            *, unavailable,
            message: "without Combine, publishers need the trait OpenCombine of the package Vigil"
        )
        public func publisher(in writer: any DatabaseWriter) -> DatabasePublishers.TraitOpenCombineIsMissing {
            .init()
        }
    }

    extension DatabaseReader {
        /// Returns a publisher that reads a value.
        @available(
            *, unavailable,
            message: "without Combine, publishers need the trait OpenCombine of the package Vigil"
        )
        public func readPublisher<Output>(
            receiveOn scheduler: Any? = nil, value: @escaping @Sendable (Database) throws -> Output
        ) -> DatabasePublishers.TraitOpenCombineIsMissing { .init() }
    }

    extension DatabaseWriter {
        /// Returns a publisher that writes in a transaction.
        @available(
            *, unavailable,
            message: "without Combine, publishers need the trait OpenCombine of the package Vigil"
        )
        public func writePublisher<Output>(
            receiveOn scheduler: Any? = nil, updates: @escaping @Sendable (Database) throws -> Output
        ) -> DatabasePublishers.TraitOpenCombineIsMissing { .init() }
    }
#endif
