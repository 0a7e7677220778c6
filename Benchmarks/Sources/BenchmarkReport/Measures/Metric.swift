/// The names of further measurements that budgets limit. See ``RoundResult/metrics``.
public enum Metric {
    /// The time of the same operation with a statement that was made once and kept.
    public static let prepared = "ns, with a statement prepared by hand"
    /// The time of an operation with an SQL string, divided by ``prepared``.
    public static let ratioToPrepared = "ratio to a statement prepared by hand"
    /// The time from a commit until a loop that queries once a second has read it.
    public static let polling = "ns, median, by a query every second"
    /// The processor time of the process while nothing is committed.
    public static let idle = "% of a core, while nothing is committed"
    /// The time until a query of which only the first row was read has ended.
    public static let endOfQuery = "ns, until the query has ended"
    /// The processor time of all threads of the observing process.
    public static let processorTimePerCommit = "ns, processor time per commit"
    /// The time of a commit by another process that does not pause, divided by that without observations.
    public static let foreignWriterSlowdown = "times as long, a commit without pauses"
    /// The size of the log after such commits, divided by that without observations.
    public static let foreignLogGrowth = "times as large, the log"
    /// The growth of the peak of resident memory.
    public static let bytesOfFirstRow = "bytes, growth of the peak of resident memory"
    /// The time of the first list, divided by that of the first array of an observation.
    public static let timesTrackingAll = "times trackingAll"
    /// The memory of a list, less that of an array of the same rows.
    public static let bytesBesideArray = "bytes per row, beside an array"
    /// The time of a write to a row that is part of 100 rows of a list.
    public static let joinedWrite = "ns per write to a row that 100 rows are joined with"
    /// The 99th percentile of reads, divided by the number of notifications that were delivered per
    /// millisecond.
    public static let readPerNotification = "ns, p99 of a read per notification per ms"
}
