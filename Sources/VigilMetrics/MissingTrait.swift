#if !Metrics
    // The declaration of a build without the trait Metrics: its message names it.

    /// Reports what the observations of a database do to swift-metrics.
    @available(*, unavailable, message: "metrics need the trait Metrics of the package Vigil")
    public struct ObservationMetrics {}
#endif
