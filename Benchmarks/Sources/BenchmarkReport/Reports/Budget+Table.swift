extension Budget {
    /// All budgets of Vigil.
    public static let all: [Budget] = plain + observing + reading + pools + lists + servers

    /// Lists that are updated row by row.
    private static let lists: [Budget] = [
        Budget(
            text: "a write to one row of a list of 100,000 rows, relative to GRDB",
            measure: .ratio(Cell(.listUpdate, 100_000, .vigil), over: Cell(.listUpdate, 100_000, .grdb)),
            limit: 0.001),
        Budget(
            text: "a write to one row of a list of 1,000,000 rows, relative to 1,000 rows",
            measure: .ratio(Cell(.listUpdate, 1_000_000, .vigil), over: Cell(.listUpdate, 1_000, .vigil)),
            limit: 1.5),
        Budget(
            text: "a write that moves a row of a list of 100,000 rows, relative to one that does not",
            measure: .ratio(Cell(.listMove, 100_000, .vigil), over: Cell(.listUpdate, 100_000, .vigil)),
            limit: 1.5),
        Budget(
            text: "a transaction that changes 10,000 rows of a list of 100,000 rows, relative to GRDB",
            measure: .ratio(Cell(.listBulk, 100_000, .vigil), over: Cell(.listBulk, 100_000, .grdb)),
            limit: 1, isStrict: true),
        Budget(
            text: "a write to one row of a list of 100,000 joined rows, ns",
            measure: .figure(Cell(.listJoin, 100_000, .vigil)), limit: 250_000),
        Budget(
            text: "the first list of 100,000 rows, relative to the first array",
            measure: .metric(Metric.timesTrackingAll, Cell(.listStart, 100_000, .vigil)), limit: 1.25),
        Budget(
            text: "the difference of two lists of 100,000 rows, ns",
            measure: .figure(Cell(.listDiff, 100_000, .vigil)), limit: 2_000),
        Budget(
            text: "the sections of a list of 100,000 rows and their difference, ns",
            measure: .figure(Cell(.sectionDiff, 100_000, .vigil)), limit: 50_000),
        Budget(
            text: "bytes per row of a list of 100,000 rows, in addition to an array",
            measure: .metric(Metric.bytesBesideArray, Cell(.listMemory, 100_000, .vigil)), limit: 96),
        Budget(
            text: "a write to a row behind the first 50 of 100,000 rows, relative to GRDB",
            measure: .ratio(
                Cell(.windowOutside, 100_000, .vigil), over: Cell(.windowOutside, 100_000, .grdb)),
            limit: 0.05),
        Budget(
            text: "a write to one of the first 50 of 1,000,000 rows, relative to a list of 1,000 rows",
            measure: .ratio(Cell(.windowInside, 1_000_000, .vigil), over: Cell(.listUpdate, 1_000, .vigil)),
            limit: 1.1),
        Budget(
            text: "a write to one of the first 50 of 1,000,000 rows without an index, relative to GRDB",
            measure: .ratio(
                Cell(.windowUnindexed, 1_000_000, .vigil), over: Cell(.windowUnindexed, 1_000_000, .grdb)),
            limit: 0.001),
    ]

    /// SQL strings and one observation, as applications are written first.
    private static let plain: [Budget] =
        [
            (ScenarioName.plainWriteMemory, "execute(sql:arguments:) in memory"),
            (.plainWriteQueue, "execute(sql:arguments:) on a file queue"),
            (.plainWritePool, "execute(sql:arguments:) on a pool"),
            (.plainReadMemory, "fetchOne(db, sql:) in memory"),
            (.plainReadQueue, "fetchOne(db, sql:) on a file queue"),
            (.plainReadPool, "fetchOne(db, sql:) on a pool"),
        ].flatMap { name, text in
            [
                Budget(
                    text: "\(text), relative to a statement prepared by hand",
                    measure: .metric(Metric.ratioToPrepared, Cell(name, 0, .vigil)), limit: 1.3),
                Budget(
                    text: "\(text), relative to GRDB",
                    measure: .ratio(Cell(name, 0, .vigil), over: Cell(name, 0, .grdb)), limit: 0.5),
            ]
        }
        + [
            (ScenarioName.oneObservationMemorySQL, "SQL string, in memory"),
            (.oneObservationQueueSQL, "SQL string, on a file queue"),
            (.oneObservationPoolSQL, "SQL string, on a pool"),
            (.oneObservationMemoryRecord, "record request, in memory"),
            (.oneObservationQueueRecord, "record request, on a file queue"),
            (.oneObservationPoolRecord, "record request, on a pool"),
        ].map { name, text in
            Budget(
                text: "one observation, from write to value, \(text), relative to GRDB",
                measure: .ratio(Cell(name, 1, .vigil), over: Cell(name, 1, .grdb)), limit: 0.7)
        }

    private static let observing: [Budget] = [
        Budget(
            text: "a one-row write in memory without observations, relative to C",
            measure: .ratio(Cell(.writeBaseline, 0, .vigil), over: Cell(.writeBaseline, 0, .c)), limit: 1.5),
        Budget(
            text: "a one-row write with 10,000 observations that it does not match, relative to none",
            measure: .ratio(Cell(.unrelatedWrites, 10_000, .vigil), over: Cell(.unrelatedWrites, 0, .vigil)),
            limit: 1.15),
        Budget(
            text: "a write that matches one of 10,000 observed rows, relative to one observed row",
            measure: .ratio(Cell(.oneRowHit, 10_000, .vigil), over: Cell(.oneRowHit, 1, .vigil)), limit: 1.3),
        Budget(
            text: "fetches per write that matches one of 1,000 observations of WHERE team = ?",
            measure: .fetches(Cell(.predicateHit, 1_000, .vigil)), limit: 1),
        Budget(
            text: "fetches per commit by another process that changes one of 10,000 observed rows",
            measure: .fetches(Cell(.foreignRows, 10_000, .vigil)), limit: 1),
        Budget(
            text: "ns from that commit to the callback",
            measure: .figure(Cell(.foreignRows, 10_000, .vigil)), limit: 2_000_000),
        Budget(
            text: "ns of processor time for a commit that changes another row, of 1,000,000",
            measure: .metric(Metric.processorTimePerCommit, Cell(.foreignRows, 10_000, .vigil)),
            limit: 200_000),
        Budget(
            text: "a commit by another process without pauses, relative to no observations",
            measure: .metric(Metric.foreignWriterSlowdown, Cell(.foreignRows, 10_000, .vigil)), limit: 1.05),
        Budget(
            text: "the log after these commits, relative to no observations",
            measure: .metric(Metric.foreignLogGrowth, Cell(.foreignRows, 10_000, .vigil)), limit: 1.5),
        Budget(
            text: "fetches per write that matches 1,000 equal observations",
            measure: .fetches(Cell(.equalObservations, 1_000, .vigil)), limit: 1),
        Budget(
            text: "nanoseconds from a write to the last of 10,000 equal observers' callbacks",
            measure: .figure(Cell(.equalObservations, 10_000, .vigil)), limit: 15_000_000),
        Budget(
            text: "100,000 inserts with 1,000 observations of the table, relative to none",
            measure: .ratio(Cell(.bulkTransaction, 1_000, .vigil), over: Cell(.bulkTransaction, 0, .vigil)),
            limit: 1.1),
        Budget(
            text: "bytes per idle observation of one row",
            measure: .figure(Cell(.memory, 10_000, .vigil)), limit: 1_024),
        Budget(
            text: "bytes per idle client of an event stream with a query of its own",
            measure: .figure(Cell(.streamMemory, 10_000, .vigil)), limit: 8_192),
    ]

    private static let reading: [Budget] = [
        Budget(
            text: "reading 100,000 rows, relative to C",
            measure: .ratio(Cell(.decodeRows, 100_000, .vigil), over: Cell(.decodeRows, 100_000, .c)),
            limit: 1.2),
        Budget(
            text: "reading 100,000 rows, relative to GRDB",
            measure: .ratio(Cell(.decodeRows, 100_000, .vigil), over: Cell(.decodeRows, 100_000, .grdb)),
            limit: 1, isStrict: true),
        Budget(
            text: "reading 100,000 Codable records, relative to GRDB",
            measure: .ratio(
                Cell(.decodeRecords, 100_000, .vigil), over: Cell(.decodeRecords, 100_000, .grdb)),
            limit: 0.5),
        Budget(
            text: "reading 100,000 records with init(row:), relative to GRDB",
            measure: .ratio(
                Cell(.decodeInitRow, 100_000, .vigil), over: Cell(.decodeInitRow, 100_000, .grdb)),
            limit: 0.7),
        Budget(
            text: "reading 100,000 records with @FetchedRecord, relative to C",
            measure: .ratio(Cell(.decodeMacro, 100_000, .vigil), over: Cell(.decodeMacro, 100_000, .c)),
            limit: 1.35),
        Budget(
            text: "reading 100,000 records with @FetchedRecord, relative to GRDB's Codable records",
            measure: .ratio(Cell(.decodeMacro, 100_000, .vigil), over: Cell(.decodeMacro, 100_000, .grdb)),
            limit: 0.35),
        Budget(
            text: "inserting 100,000 records with @Record, relative to GRDB's Codable records",
            measure: .ratio(Cell(.insertMacro, 100_000, .vigil), over: Cell(.insertMacro, 100_000, .grdb)),
            limit: 0.35),
        Budget(
            text: "nanoseconds of building a request that has been built before, over a prepared statement",
            measure: .figure(Cell(.requestBuild, 1, .vigil)), limit: 3_000),
    ]

    private static let pools: [Budget] = [
        Budget(
            text:
                "p99 of reads on a pool with 2,000 commits per second and 200 observations, relative to none",
            measure: .ratio(
                Cell(.poolContentionPaced, 200, .vigil), over: Cell(.poolContentionPaced, 0, .vigil)),
            limit: 1.2),
        Budget(
            text: "p99 of reads on a pool with a writer at full speed, per notification, relative to GRDB",
            measure: .metricRatio(
                Metric.readPerNotification, Cell(.poolContention, 200, .vigil),
                over: Cell(.poolContention, 200, .grdb)),
            limit: 1, isStrict: true),
        Budget(
            text:
                "p99 of values on a pool beside an observation whose fetches take one second, relative to none",
            measure: .ratio(Cell(.slowNeighbour, 1, .vigil), over: Cell(.slowNeighbour, 0, .vigil)),
            limit: 2),
        Budget(
            text: "burst of 1,000 commits, from the last commit to the last value, relative to GRDB",
            measure: .ratio(Cell(.burst, 1_000, .vigil), over: Cell(.burst, 1_000, .grdb)), limit: 1),
    ]
}
