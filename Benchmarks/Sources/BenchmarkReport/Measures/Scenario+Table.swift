extension Scenario {
    private static let slope = [1, 10, 100, 1_000, 10_000]

    /// All scenarios, in the order in which they are run and reported.
    public static let all: [Scenario] = [
        Scenario(
            name: .writeBaseline, unit: "ns per write", sizeName: "observations", sizes: [0], quickSizes: [0],
            measures: "A transaction that updates one row, in memory, while nobody observes.",
            leavesOut: "The disk. What a statement costs that is not cached."),
        Scenario(
            name: .unrelatedWrites, unit: "ns per write", sizeName: "observations", sizes: [0] + slope,
            quickSizes: [0, 3],
            measures:
                "The same write, in memory, while n observations look at one row each of another table: what observers cost those who do not concern them.",
            leavesOut: "The disk."),
        Scenario(
            name: .oneRowHit, unit: "ns per write", sizeName: "observations", sizes: slope,
            quickSizes: [1, 3],
            measures:
                "A write to one of n observed rows, in memory: the transaction and the fetches that it causes, until the write returns. One observation has something new to tell.",
            leavesOut: "The callback, which runs on another thread; it is counted, and waited for at the end."
        ),
        Scenario(
            name: .predicateHit, unit: "ns per write", sizeName: "observations", sizes: slope,
            quickSizes: [1, 3],
            measures:
                "A write to a row of one of n observed teams (plain SQL, WHERE team = ?), in memory. One observation has something new to tell.",
            leavesOut: "The callback, as in one-row-hit."),
        Scenario(
            name: .equalObservations, unit: "ns per write", sizeName: "observations", sizes: slope,
            quickSizes: [1, 3],
            measures:
                "A write to the one row that n starts of the same observation look at, in memory. All have the same to tell.",
            leavesOut: "The callbacks, as in one-row-hit."),
        Scenario(
            name: .avoidable, unit: "ns per write", sizeName: "observations", sizes: [1, 100, 10_000],
            quickSizes: [1, 3],
            measures:
                "A write that sets the value that one of n observed rows has already, in memory. Nobody has anything to tell.",
            leavesOut: "Writes that change other columns of the same row."),
        Scenario(
            name: .burst, unit: "ns from last commit to last value", sizeName: "commits", sizes: [1_000],
            quickSizes: [20],
            measures:
                "Commits back to back into a file, with one observer, an asynchronous sequence with bufferingNewest(1), that takes 1 ms for each value: how long after the last commit it has the last value, how many values it was given, how many commits they were behind, and the most that were fetched and not consumed.",
            leavesOut:
                "Memory that an unbounded buffer would take: nobody is asked to keep more than one value.",
            hasLatencies: false),
        Scenario(
            name: .bulkTransaction, unit: "ns per inserted row", sizeName: "observations",
            sizes: [0, 1, 100, 1_000], quickSizes: [0, 3],
            measures:
                "One transaction of 100,000 inserts into a file, while n observations look at the greatest id of the table, until the write returns.",
            leavesOut:
                "On GRDB's and Vigil's pools, fetches that come after the write has returned; they are counted, and waited for between transactions.",
            hasLatencies: false),
        Scenario(
            name: .poolContention, unit: "ns, p99 of a read", sizeName: "observations", sizes: [0, 200],
            quickSizes: [0, 3],
            measures:
                "Reads of 500 rows at a steady rate of 1,000 in a second from 4 threads, on a pool of 5 readers, while one thread writes rows as fast as it can and n observations look at those rows. A read's latency counts from when it was due, not from when it was started.",
            leavesOut:
                "The C library has no observations, so only its reads and writes are there. With fewer cores than threads, much of it is the scheduler of the system."
        ),
        Scenario(
            name: .startChurn, unit: "ns per start and cancel", sizeName: "starts", sizes: [10_000],
            quickSizes: [20],
            measures:
                "Observations of one row that are started and cancelled at once, in memory, until the database has done all that they left to do.",
            leavesOut: "Observations that live until their first value.", hasLatencies: false),
        Scenario(
            name: .notificationLatency, unit: "ns, median of a round", sizeName: "observations",
            sizes: [1, 100], quickSizes: [1, 3],
            measures:
                "From the end of the writing closure, which the COMMIT follows, to the callback on a dispatch queue, with a pool on a file. One of n observations is touched. The next write waits for the callback.",
            leavesOut: "Load: nothing else happens. See pool-contention for the delay under load."),
        Scenario(
            name: .foreignWriteLatency, unit: "ns, median of a round", sizeName: "observations", sizes: [1],
            quickSizes: [1],
            measures:
                "The same, written by another process, 20 to 30 ms after the one before. It writes with Vigil, for each engine.",
            leavesOut: "Engines that do not notice what other processes write."),
        Scenario(
            name: .decodeRows, unit: "ns per row", sizeName: "rows", sizes: [100_000], quickSizes: [1_000],
            measures: "Reading rows of five columns from a file with a cursor, each value by its index.",
            leavesOut: "Rows that are kept: the cursor lends them.", hasLatencies: false),
        Scenario(
            name: .decodeRecords, unit: "ns per row", sizeName: "rows", sizes: [100_000],
            quickSizes: [1_000],
            measures:
                "Fetching the same rows as an array of Codable records. In C: an array of structs with copies of the texts.",
            leavesOut: "Records with hand-written decoding.", hasLatencies: false),
        Scenario(
            name: .memory, unit: "bytes per observation", sizeName: "observations", sizes: [1_000, 10_000],
            quickSizes: [10],
            measures:
                "Memory in use, as the allocator counts it, after n observations of one row each were started, in memory, and have their first value: less what was in use before.",
            leavesOut:
                "What the allocator keeps besides, and pages that are not there yet. The resident memory is told beside it.",
            hasLatencies: false),
    ]
}
