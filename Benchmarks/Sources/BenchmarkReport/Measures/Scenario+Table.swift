extension Scenario {
    private static let slope = [1, 10, 100, 1_000, 10_000]

    /// All scenarios, in the order of runs and reports.
    public static let all: [Scenario] = plain + tuned + lists + windows + results + servers

    /// The scenarios with parts of the work that an application does. Most of them use prepared statements.
    private static let tuned: [Scenario] = [
        Scenario(
            name: .writeBaseline, unit: "ns per write", sizeName: "observations", sizes: [0], quickSizes: [0],
            measures: "A transaction that updates one row of a database in memory, without observations.",
            leavesOut: "The disk, and statements that are not cached.",
            statements: .cached),
        Scenario(
            name: .unrelatedWrites, unit: "ns per write", sizeName: "observations", sizes: [0] + slope,
            quickSizes: [0, 3],
            measures:
                "The same write, in memory, with n observations that each track one row of another table: the cost of observations that a write does not match.",
            leavesOut: "The disk.",
            statements: .cached),
        Scenario(
            name: .oneRowHit, unit: "ns per write", sizeName: "observations", sizes: slope,
            quickSizes: [1, 3],
            measures:
                "A write to one of n observed rows, in memory: the transaction and the fetches that it causes, until the write returns. The result of one observation changes.",
            leavesOut:
                "The callbacks, which run on another thread. They are counted, and awaited at the end.",
            statements: .cached
        ),
        Scenario(
            name: .predicateHit, unit: "ns per write", sizeName: "observations", sizes: slope,
            quickSizes: [1, 3],
            measures:
                "A write to a row of one of n observed teams (plain SQL, WHERE team = ?), in memory. The result of one observation changes.",
            leavesOut: "The callbacks, as in one-row-hit.",
            statements: .cached),
        Scenario(
            name: .equalObservations, unit: "ns from write to last callback", sizeName: "observations",
            sizes: slope,
            quickSizes: [1, 3],
            measures:
                "A write to the one row that n starts of the same observation track, in memory, until the callbacks of all of them have run on a dispatch queue. The next write waits for them. An engine that takes a second is measured with one write.",
            leavesOut: "Work in the callbacks, which only count.",
            statements: .cached),
        Scenario(
            name: .avoidable, unit: "ns per write", sizeName: "observations", sizes: [1, 100, 10_000],
            quickSizes: [1, 3],
            measures:
                "A write that sets one of n observed rows to the value that it already has, in memory. No result changes.",
            leavesOut: "Writes that change other columns of the same row.",
            statements: .cached),
        Scenario(
            name: .burst, unit: "ns from last commit to last value", sizeName: "commits", sizes: [1_000],
            quickSizes: [20],
            measures:
                "Consecutive commits to a file, with an asynchronous sequence with bufferingNewest(1) whose consumer takes 1 ms per value: the time from the last commit to the last value, the number of values, the maximum number of commits that a value was behind, and the maximum number of values that were fetched and not yet consumed.",
            leavesOut:
                "The memory of an unbounded buffer: no engine keeps more than one value.",
            statements: .cached),
        Scenario(
            name: .bulkTransaction, unit: "ns per inserted row", sizeName: "observations",
            sizes: [0, 1, 100, 1_000], quickSizes: [0, 3],
            measures:
                "One transaction of 100,000 inserts into a file, with n observations of the greatest id of the table, until the write returns. An engine that takes 50 µs per row inserts 5,000, because the time per row does not depend on their number.",
            leavesOut:
                "Fetches that GRDB's and Vigil's pools run after the write has returned. They are counted, and awaited between transactions.",
            statements: .cached),
        Scenario(
            name: .poolContention, unit: "ns, p99 of a read", sizeName: "observations", sizes: [0, 200],
            quickSizes: [0, 3],
            measures:
                "Reads of 500 rows at a steady rate of 1,000 per second from 4 threads, on a pool of 5 readers, while one thread writes rows without pause and n observations track those rows. The latency of a read counts from the time at which it was due, not from its start. A library that writes and notifies more does more work at the same time, so the latency is also reported per notification.",
            leavesOut:
                "Observations with the C library, which has none: it only reads and writes. With fewer cores than threads, much of the latency is due to the scheduler of the system.",
            statements: .cached),
        Scenario(
            name: .poolContentionPaced, unit: "ns, p99 of a read", sizeName: "observations", sizes: [0, 200],
            quickSizes: [0, 3],
            measures:
                "The same reads, while one thread writes rows at a steady rate of 2,000 commits per second, each due at its time whether or not earlier ones are done. All engines have the same work.",
            leavesOut: "Observations with the C library, as in pool-contention.", statements: .cached),
        Scenario(
            name: .slowNeighbour, unit: "ns, p99 from commit to callback", sizeName: "slow observations",
            sizes: [0, 1], quickSizes: [0, 1],
            measures:
                "The time from the end of the writing closure to the callbacks of 50 observations of one row each, on a pool of 5 readers, with 200 commits per second for three seconds, beside n observations of the table whose fetches take one second.",
            leavesOut:
                "Slow fetches that use the processor: they sleep. The start of the slow observation.",
            statements: .cached),
        Scenario(
            name: .start, unit: "ns to the first value", sizeName: "starts", sizes: [1, 1_000],
            quickSizes: [1, 5],
            measures:
                "For n = 1, the time from opening a DatabasePool on an existing file to the first value of an observation with immediate scheduling. Otherwise, the time per start of n observations of one row each, with immediate scheduling, on a pool that is open.",
            leavesOut:
                "What a start leaves to be done later: it is a further figure. The first page reads of a file that the system has not cached.",
            statements: .sqlStrings),
        Scenario(
            name: .startChurn, unit: "ns per start and cancel", sizeName: "starts", sizes: [10_000],
            quickSizes: [20],
            measures:
                "Starting observations of one row and cancelling them immediately, in memory, until the database has completed the work that they enqueued.",
            leavesOut: "Observations that live until their first value.",
            statements: .cached),
        Scenario(
            name: .notificationLatency, unit: "ns, median of a round", sizeName: "observations",
            sizes: [1, 100], quickSizes: [1, 3],
            measures:
                "The time from the end of the writing closure, just before the COMMIT, to the callback on a dispatch queue, with a pool on a file. The write matches one of n observations. The next write waits for the callback.",
            leavesOut: "Concurrent load. See pool-contention for the delay under load.",
            statements: .cached),
        Scenario(
            name: .foreignWriteLatency, unit: "ns, median of a round", sizeName: "observations", sizes: [1],
            quickSizes: [1],
            measures:
                "The same time for writes by another process, at intervals of 20 to 30 ms. The other process always writes with Vigil.",
            leavesOut: "Engines that do not detect writes by other processes.",
            statements: .cached),
        Scenario(
            name: .foreignRows, unit: "ns, median of a round", sizeName: "observations", sizes: [1, 10_000],
            quickSizes: [1, 3],
            measures:
                "The same with n observations of one row each, in a table of 1,000,000 rows with an index. Each commit of the other process changes one observed row. Further figures are the processor time of the observing process per commit that changes a row which nothing reads, and for n = 10,000 what it costs a writer that does not pause: the time of a commit and the size of the log, divided by those without observations.",
            leavesOut: "Engines that do not detect writes by other processes.",
            statements: .cached, roundTimeout: 600),
        Scenario(
            name: .decodeRows, unit: "ns per row", sizeName: "rows", sizes: [100_000], quickSizes: [1_000],
            measures: "Reading rows of five columns from a file with a cursor, each value by its index.",
            leavesOut: "Copies of rows: a row is valid until the cursor advances.",
            statements: .once),
        Scenario(
            name: .decodeRecords, unit: "ns per row", sizeName: "rows", sizes: [100_000],
            quickSizes: [1_000],
            measures:
                "Fetching the same rows as an array of Codable records; in C, as an array of structs with copies of the texts.",
            leavesOut: "Records with hand-written decoding: see decode-init-row.",
            statements: .once),
        Scenario(
            name: .decodeInitRow, unit: "ns per row", sizeName: "rows", sizes: [100_000],
            quickSizes: [1_000],
            measures:
                "Fetching the same rows as an array of records whose init(row:) reads each column by its name; in C, as in decode-records.",
            leavesOut: "Columns that are read by their indexes.", statements: .once),
        Scenario(
            name: .decodeMacro, unit: "ns per row", sizeName: "rows", sizes: [100_000], quickSizes: [1_000],
            measures:
                "Fetching the same rows as an array of records with the code of @FetchedRecord; in GRDB, as Codable records, and in C, as in decode-records.",
            leavesOut: "Columns of JSON.", statements: .once),
        Scenario(
            name: .fetchByKey, unit: "ns per row", sizeName: "rows", sizes: [100_000], quickSizes: [1_000],
            measures:
                "Fetching each of the same rows by its primary key as a Codable record, in a scattered order; in C, as a struct with copies of the texts, with one compiled statement.",
            leavesOut: "Keys that are not row ids, and the transaction around the fetches.",
            statements: .generated),
        Scenario(
            name: .insertRecords, unit: "ns per row", sizeName: "rows", sizes: [100_000],
            quickSizes: [1_000],
            measures:
                "One transaction that inserts Codable records of five columns into a file, and stores their row ids; in C, with one compiled statement.",
            leavesOut: "Transactions of single rows, where the commit dominates.",
            statements: .generated),
        Scenario(
            name: .insertMacro, unit: "ns per row", sizeName: "rows", sizes: [100_000], quickSizes: [1_000],
            measures:
                "The same with records with the code of @Record; in GRDB, with Codable records.",
            leavesOut: "Columns of JSON.", statements: .generated),
        Scenario(
            name: .updateRecords, unit: "ns per row", sizeName: "rows", sizes: [100_000],
            quickSizes: [1_000],
            measures: "One transaction that updates all columns of the same records, by primary key.",
            leavesOut: "Updates of only the columns that changed.",
            statements: .generated),
        Scenario(
            name: .requestBuild, unit: "ns over a prepared statement", sizeName: "requests", sizes: [1],
            quickSizes: [1],
            measures:
                "Building a request with two conditions, two orderings and a limit, generating its SQL, and taking its compiled statement from the cache, minus the time of taking the same statement from the cache by its SQL and setting its arguments.",
            leavesOut: "The rows, and the first compilation of the statement.",
            statements: .generated),
        Scenario(
            name: .memory, unit: "bytes per observation", sizeName: "observations", sizes: [1_000, 10_000],
            quickSizes: [10],
            measures:
                "The bytes allocated by n observations of one row each, started in a database in memory, once each has its first value.",
            leavesOut:
                "The overhead of the allocator, and pages that are not resident. Resident memory is reported separately.",
            statements: .cached),
        Scenario(
            name: .streamMemory, unit: "bytes per client", sizeName: "clients", sizes: [10_000],
            quickSizes: [10],
            measures:
                "The bytes allocated by n clients of event streams on a pool on a file, each with a query of its own and a task that waits for the next event, once each has its first value.",
            leavesOut: "The connections, and the web server.",
            statements: .cached),
        Scenario(
            name: .scale, unit: "ns per write", sizeName: "observations", sizes: [100_000], quickSizes: [30],
            measures:
                "A write to one of n observed rows, on a pool on a file with a table of 10 n rows, until the write returns. Further figures: the time per start until all observations have a value, the memory per observation, and a write to a row that is not observed.",
            leavesOut:
                "The fetches, which run after the write has returned. Not part of a run without --only.",
            statements: .cached, runsByDefault: false, roundTimeout: 900),
    ]
}
