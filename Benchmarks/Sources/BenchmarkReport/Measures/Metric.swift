/// The names of further measurements that budgets limit. See ``RoundResult/metrics``.
public enum Metric {
    /// The time of the same operation with a statement that was made once and kept.
    public static let prepared = "ns, with a statement prepared by hand"
    /// The time of an operation with an SQL string, divided by ``prepared``.
    public static let ratioToPrepared = "ratio to a statement prepared by hand"
    /// The 99th percentile of reads, divided by the number of notifications that were delivered per millisecond.
    public static let readPerNotification = "ns, p99 of a read per notification per ms"
}
