// Programs that import this module need no import of Vigil.
@_exported public import Vigil

#if RxSwift
    /// The reactive extensions of a value, such as an observation or a request.
    ///
    /// ```swift
    /// let players: Observable<[Player]> = ValueObservation.tracking(Player.fetchAll).rx.observe(in: dbPool)
    /// ```
    ///
    /// RxSwift's own `Reactive` is meant for objects: it looks up unknown members in its base. Started
    /// observations retain the database.
    public struct DatabaseReactive<Base> {
        /// The extended value.
        public let base: Base

        /// Creates the extensions of `base`.
        public init(_ base: Base) { self.base = base }
    }

    extension DatabaseReactive: Sendable where Base: Sendable {}

    extension ValueObservation {
        /// The reactive extensions of the observation.
        public var rx: DatabaseReactive<ValueObservation> { DatabaseReactive(self) }
    }

    extension SharedValueObservation {
        /// The reactive extensions of the observation.
        public var rx: DatabaseReactive<SharedValueObservation> { DatabaseReactive(self) }
    }

    extension DatabaseRegionObservation {
        /// The reactive extensions of the observation.
        public var rx: DatabaseReactive<DatabaseRegionObservation> { DatabaseReactive(self) }
    }

    extension FetchRequest {
        /// The reactive extensions of the request.
        public var rx: DatabaseReactive<Self> { DatabaseReactive(self) }
    }
#endif
