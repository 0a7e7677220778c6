import BenchmarkReport
import BenchmarkWork

#if GRDB
    import GRDB
#else
    import Vigil
#endif

/// A row, as an application would decode it.
private struct Record: Codable, FetchableRecord, TableRecord {
    var id: Int64
    var name: String
    var score: Double
    var team: Int64
    var note: String?
}

/// The same row, with hand-written decoding.
private struct PlainRecord: FetchableRecord {
    var id: Int64
    var name: String
    var score: Double
    var team: Int64
    var note: String?

    init(row: Row) {
        id = row["id"]
        name = row["name"]
        score = row["score"]
        team = row["team"]
        note = row["note"]
    }
}

extension ObservedWorkload {
    func decodeRows(_ request: RoundRequest) throws -> RoundResult {
        try measureReading(request) { db in try sumOfRows(db) }
    }

    func decodeRecords(_ request: RoundRequest) throws -> RoundResult {
        try measureReading(request) { db in try sumOfRecords(db) }
    }

    /// Reads all rows with a cursor, and returns their checksum.
    func sumOfRows(_ db: Database) throws -> Int64 {
        var sum: Int64 = 0
        let rows = try Row.fetchCursor(db, sql: Schema.selectRecords)
        while let row = try rows.next() {
            let name: String = row[1]
            sum &+= (row[0] as Int64) + checksum(name) + Int64(row[2] as Double) + (row[3] as Int64)
            if let note = row[4] as String? { sum &+= checksum(note) }
        }
        return sum
    }

    /// Fetches all rows as an array of records, and returns their checksum.
    func sumOfRecords(_ db: Database) throws -> Int64 {
        try Record.fetchAll(db, sql: Schema.selectRecords).reduce(0) { $0 + checksum($1) }
    }

    func decodeInitRow(_ request: RoundRequest) throws -> RoundResult {
        try measureReading(request) { db in
            try PlainRecord.fetchAll(db, sql: Schema.selectRecords).reduce(0) { $0 + checksum($1) }
        }
    }

    func decodeMacro(_ request: RoundRequest) throws -> RoundResult {
        try measureReading(request) { db in
            try FetchedMacroRecord.fetchAll(db, sql: Schema.selectRecords).reduce(0) { $0 + checksum($1) }
        }
    }

    func fetchByKey(_ request: RoundRequest) throws -> RoundResult {
        let count = Int64(request.n)
        return try measureReading(request) { db in
            var sum: Int64 = 0
            for position in 0..<count {
                let key = Schema.scatteredKey(position, of: count)
                guard let record = try Record.fetchOne(db, key: key) else {
                    throw WorkError("no record \(key)")
                }
                sum += checksum(record)
            }
            return sum
        }
    }

    private func measureReading(
        _ request: RoundRequest, _ read: (Database) throws -> Int64
    ) throws -> RoundResult {
        let folder = try TemporaryFolder()
        let dbQueue = try DatabaseQueue(path: folder.databasePath, configuration: library.configuration())
        try dbQueue.write { db in try db.execute(sql: Schema.rows(request.n)) }
        return try ReadingRounds(rows: request.n) { try dbQueue.read(read) }.result
    }
}

private func checksum(_ record: Record) -> Int64 {
    record.id + checksum(record.name) + Int64(record.score) + record.team + (record.note.map(checksum) ?? 0)
}

private func checksum(_ record: PlainRecord) -> Int64 {
    record.id + checksum(record.name) + Int64(record.score) + record.team + (record.note.map(checksum) ?? 0)
}

private func checksum(_ record: FetchedMacroRecord) -> Int64 {
    record.id + checksum(record.name) + Int64(record.score) + record.team + (record.note.map(checksum) ?? 0)
}

private func checksum(_ text: String) -> Int64 {
    Int64(text.utf8.count) + Int64(text.utf8.first ?? 0)
}
