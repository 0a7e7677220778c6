extension Scenario {
    /// The scenarios in the form in which applications are written first: SQL strings, one observation,
    /// records.
    static let plain: [Scenario] =
        [
            plainWrite(.plainWriteMemory, "a database in memory"),
            plainWrite(.plainWriteQueue, queue), plainWrite(.plainWritePool, pool),
            plainRead(.plainReadMemory, "a database in memory"),
            plainRead(.plainReadQueue, queue), plainRead(.plainReadPool, pool),
            oneObservation(.oneObservationMemorySQL, "a database in memory", .sqlStrings),
            oneObservation(.oneObservationQueueSQL, queue, .sqlStrings),
            oneObservation(.oneObservationPoolSQL, pool, .sqlStrings),
            oneObservation(.oneObservationMemoryRecord, "a database in memory", .sqlStringsAndRequests),
            oneObservation(.oneObservationQueueRecord, queue, .sqlStringsAndRequests),
            oneObservation(.oneObservationPoolRecord, pool, .sqlStringsAndRequests),
        ] + plainRecords

    private static let queue = "a DatabaseQueue on a file with a write-ahead log"
    private static let pool = "a DatabasePool on a file"

    private static func plainWrite(_ name: ScenarioName, _ place: String) -> Scenario {
        Scenario(
            name: name, unit: "ns per write", sizeName: "observations", sizes: [0], quickSizes: [0],
            measures:
                "A transaction that updates one row by db.execute(sql:arguments:), in \(place). In turn with it, the same with a statement that was made once and kept, as a further figure.",
            leavesOut: "Observations. With C, the statement is prepared.", statements: .sqlStrings)
    }

    private static func plainRead(_ name: ScenarioName, _ place: String) -> Scenario {
        Scenario(
            name: name, unit: "ns per read", sizeName: "observations", sizes: [0], quickSizes: [0],
            measures:
                "A read of one integer by Int.fetchOne(db, sql:arguments:), in \(place). In turn with it, the same with a statement that was made once for each connection and kept, as a further figure.",
            leavesOut: "Concurrent reads. With C, the query alone, prepared and without a transaction.",
            statements: .sqlStrings)
    }

    private static func oneObservation(
        _ name: ScenarioName, _ place: String, _ form: StatementForm
    ) -> Scenario {
        let fetch =
            form == .sqlStrings
            ? "Int.fetchOne(db, sql:arguments:)" : "a record by a request for its primary key"
        return Scenario(
            name: name, unit: "ns from write to value", sizeName: "observations", sizes: [1], quickSizes: [1],
            measures:
                "A transaction that updates the observed row by db.execute(sql:arguments:), in \(place), until the writing thread has the value that ValueObservation.tracking delivers to a dispatch queue. The observation fetches \(fetch). The next write waits for the value.",
            leavesOut: "Concurrent writes. With C, the write and the query, prepared and on one thread.",
            statements: form)
    }

    private static let plainRecords: [Scenario] = [
        Scenario(
            name: .plainRecordsInsert, unit: "ns per insert", sizeName: "records", sizes: [1],
            quickSizes: [1],
            measures: "A transaction that inserts a Codable record of four columns, in memory.",
            leavesOut: "Transactions of many records: see insert-records.", statements: .generated),
        Scenario(
            name: .plainRecordsUpdate, unit: "ns per update", sizeName: "records", sizes: [1],
            quickSizes: [1],
            measures: "A transaction that updates all columns of a Codable record, in memory.",
            leavesOut: "Transactions of many records: see update-records.", statements: .generated),
        Scenario(
            name: .plainRecordsFetch, unit: "ns per fetch", sizeName: "records", sizes: [1], quickSizes: [1],
            measures: "A read of a Codable record by its primary key, in memory.",
            leavesOut: "Reads of many keys in one access: see fetch-by-key.", statements: .generated),
        Scenario(
            name: .plainRecordsFetchAll, unit: "ns per fetch", sizeName: "records", sizes: [100],
            quickSizes: [10],
            measures:
                "A read of n Codable records by a request of the query interface with one condition, in memory.",
            leavesOut: "The C library, which decode-records compares.", statements: .generated),
    ]
}
