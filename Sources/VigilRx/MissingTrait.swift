#if !RxSwift
    public import Vigil

    // The declarations of a build without the trait RxSwift: their messages name it.

    /// The reactive extensions of a value.
    @available(*, unavailable, message: "observables need the trait RxSwift of the package Vigil")
    public enum DatabaseReactive {
        /// The type of `rx`. The compiler names it in the message about a member that it does not have.
        public enum TraitRxSwiftIsMissing {}
    }

    extension ValueObservation {
        /// The reactive extensions of the observation.
        @available(*, unavailable, message: "observables need the trait RxSwift of the package Vigil")
        public var rx: DatabaseReactive.TraitRxSwiftIsMissing { trap("unavailable") }
    }

    extension SharedValueObservation {
        /// The reactive extensions of the observation.
        @available(*, unavailable, message: "observables need the trait RxSwift of the package Vigil")
        public var rx: DatabaseReactive.TraitRxSwiftIsMissing { trap("unavailable") }
    }

    extension DatabaseRegionObservation {
        /// The reactive extensions of the observation.
        @available(*, unavailable, message: "observables need the trait RxSwift of the package Vigil")
        public var rx: DatabaseReactive.TraitRxSwiftIsMissing { trap("unavailable") }
    }

    extension FetchRequest {
        /// The reactive extensions of the request.
        @available(*, unavailable, message: "observables need the trait RxSwift of the package Vigil")
        public var rx: DatabaseReactive.TraitRxSwiftIsMissing { trap("unavailable") }
    }

    extension DatabaseReader {
        /// The reactive extensions of the database.
        @available(*, unavailable, message: "observables need the trait RxSwift of the package Vigil")
        public var rx: DatabaseReactive.TraitRxSwiftIsMissing { trap("unavailable") }
    }
#endif
