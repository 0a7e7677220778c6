import BenchmarkReport
import BenchmarkWork

#if GRDB
    import GRDB
#else
    import Vigil
#endif

/// A record that the scenarios save.
private protocol SavedRecord: MutablePersistableRecord {
    var score: Double { get set }
    init(_ number: Int64)
}

extension MacroRecord: SavedRecord {
    init(_ number: Int64) {
        self.init(name: "player number \(number)", score: Double(number) * 1.5, team: number % 20)
    }
}

/// A row, as an application would save it.
private struct Record: Codable, SavedRecord {
    var id: Int64?
    var name: String
    var score: Double
    var team: Int64
    var note: String?

    init(_ number: Int64) {
        name = "player number \(number)"
        score = Double(number) * 1.5
        team = number % 20
    }

    mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
}

extension ObservedWorkload {
    func insertRecords(_ request: RoundRequest) throws -> RoundResult {
        try measureSaving(Record.self, request) { db, records in
            for index in records.indices { try records[index].insert(db) }
        }
    }

    func insertMacro(_ request: RoundRequest) throws -> RoundResult {
        try measureSaving(MacroRecord.self, request) { db, records in
            for index in records.indices { try records[index].insert(db) }
        }
    }

    func updateRecords(_ request: RoundRequest) throws -> RoundResult {
        try measureSaving(
            Record.self, request,
            prepare: { db, records in try records.indices.forEach { try records[$0].insert(db) } }
        ) { db, records in
            for index in records.indices {
                records[index].score += 1
                try records[index].update(db)
            }
        }
    }

    private func measureSaving<Record: SavedRecord>(
        _ type: Record.Type, _ request: RoundRequest,
        prepare: (Database, inout [Record]) throws -> Void = { _, _ in },
        _ save: (Database, inout [Record]) throws -> Void
    ) throws -> RoundResult {
        let folder = try TemporaryFolder()
        let dbQueue = try DatabaseQueue(path: folder.databasePath, configuration: library.configuration())
        try dbQueue.write { db in try db.execute(sql: Schema.emptyRecords) }
        let rounds = try SavingRounds(rows: request.n) {
            var records = (1...Int64(request.n)).map { Record($0) }
            try dbQueue.write { db in
                try db.execute(sql: "DELETE FROM record")
                try prepare(db, &records)
            }
            let start = now()
            try dbQueue.write { db in try save(db, &records) }
            let time = now() - start
            let sum = try dbQueue.read { db in try Int64.fetchOne(db, sql: Schema.sumOfRecords) ?? 0 }
            let expected = Int64((records.map(\.score).reduce(0, +)).rounded(.down))
            guard sum == expected else { throw WorkError("saved scores of \(sum) instead of \(expected)") }
            return time
        }
        return rounds.result
    }
}
