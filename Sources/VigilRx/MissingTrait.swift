#if !RxSwift
    public import Vigil

    // The declarations of a build without the trait RxSwift: their messages name it.

    /// The reactive extensions of a value.
    @available(*, unavailable, message: "observables need the trait RxSwift of the package Vigil")
    public enum DatabaseReactive {
        /// The type of `rx`. The compiler names it in the message about a missing member.
        public struct TraitRxSwiftIsMissing {
            init() {}
        }
    }

    extension ValueObservation {
        /// The reactive extensions of the observation.
        @available(*, unavailable, message: "observables need the trait RxSwift of the package Vigil")
        public var rx: DatabaseReactive.TraitRxSwiftIsMissing { .init() }
    }

    extension SharedValueObservation {
        /// The reactive extensions of the observation.
        @available(*, unavailable, message: "observables need the trait RxSwift of the package Vigil")
        public var rx: DatabaseReactive.TraitRxSwiftIsMissing { .init() }
    }

    extension DatabaseRegionObservation {
        /// The reactive extensions of the observation.
        @available(*, unavailable, message: "observables need the trait RxSwift of the package Vigil")
        public var rx: DatabaseReactive.TraitRxSwiftIsMissing { .init() }
    }

    extension FetchRequest {
        /// The reactive extensions of the request.
        @available(*, unavailable, message: "observables need the trait RxSwift of the package Vigil")
        public var rx: DatabaseReactive.TraitRxSwiftIsMissing { .init() }
    }

    extension DatabaseReader {
        /// The reactive extensions of the database.
        @available(*, unavailable, message: "observables need the trait RxSwift of the package Vigil")
        public var rx: DatabaseReactive.TraitRxSwiftIsMissing { .init() }
    }
#endif
