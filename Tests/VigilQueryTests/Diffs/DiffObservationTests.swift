import Dispatch
import Synchronization
import Vigil
import XCTest

private struct Place: Codable, Equatable, FetchableRecord, PersistableRecord {
    var id: Int64
    var name: String
    var rank = 0
}

/// Applies differences, and compares the result with the database.
private struct Model {
    private(set) var places: [Int64: Place] = [:]

    mutating func apply(_ diff: PrimaryKeyDiff<Place>, line: UInt = #line) {
        for place in diff.deleted {
            XCTAssertEqual(places.removeValue(forKey: place.id), place, "deleted", line: line)
        }
        for place in diff.updated {
            let old = places.updateValue(place, forKey: place.id)
            XCTAssertNotNil(old, "updated", line: line)
            XCTAssertNotEqual(old, place, "updated", line: line)
        }
        for place in diff.inserted {
            XCTAssertNil(places.updateValue(place, forKey: place.id), "inserted", line: line)
        }
    }
}

final class DiffObservationTests: XCTestCase {
    private let schema = "CREATE TABLE place (id INTEGER PRIMARY KEY, name TEXT, rank INTEGER)"

    /// Starts an observation, runs the writes, and returns as many values as expected.
    private func values<Reducer: ValueReducer>(
        of observation: ValueObservation<Reducer>, _ count: Int, in writer: any DatabaseWriter,
        _ writes: [String], line: UInt = #line
    ) throws -> [Reducer.Value] {
        let values = Mutex<[Reducer.Value]>([])
        let arrival = DispatchSemaphore(value: 0)
        let cancellable = observation.coalescing(.never).start(
            in: writer, scheduling: .async(onQueue: DispatchQueue(label: "diffs")),
            onError: { XCTFail("\($0)", line: line) },
            onChange: { value in
                values.withLock { $0.append(value) }
                arrival.signal()
            })
        XCTAssertEqual(arrival.wait(timeout: .now() + 30), .success, line: line)
        for sql in writes { try writer.write { try $0.execute(sql: sql) } }
        for _ in 1..<count { XCTAssertEqual(arrival.wait(timeout: .now() + 30), .success, line: line) }
        cancellable.cancel()
        return values.withLock { $0 }
    }

    private let writes = [
        "INSERT INTO place VALUES (1, 'Arles', 3), (2, 'Brest', 2)",
        "UPDATE place SET name = 'Brive' WHERE id = 2",
        // Nothing differs, so there is nothing to deliver.
        "UPDATE place SET rank = rank",
        "INSERT OR REPLACE INTO place VALUES (2, 'Brest', 2), (3, 'Cahors', 1); DELETE FROM place WHERE id = 1",
    ]
    private let expected: [PrimaryKeyDiff<Place>] = [
        PrimaryKeyDiff(),
        PrimaryKeyDiff(inserted: [Place(id: 1, name: "Arles", rank: 3), Place(id: 2, name: "Brest", rank: 2)]
        ),
        PrimaryKeyDiff(updated: [Place(id: 2, name: "Brive", rank: 2)]),
        PrimaryKeyDiff(
            inserted: [Place(id: 3, name: "Cahors", rank: 1)],
            updated: [Place(id: 2, name: "Brest", rank: 2)],
            deleted: [Place(id: 1, name: "Arles", rank: 3)]),
    ]

    func testObservationsDeliverDifferencesByPrimaryKey() throws {
        try onEachWriter { writer in
            try writer.write { try $0.execute(sql: self.schema) }
            let observation = ValueObservation.trackingDiffs(Place.orderByPrimaryKey())
            XCTAssertEqual(try values(of: observation, 4, in: writer, writes), expected)
        }
    }

    func testFirstDifferenceIsRelativeToInitialRecords() throws {
        try onEachWriter { writer in
            try writer.write { try $0.execute(sql: self.schema + ";" + self.writes[0]) }
            let observation = ValueObservation.trackingDiffs(
                Place.all(),
                initialRecords: [Place(id: 2, name: "Brest", rank: 2), Place(id: 5, name: "Évry")])
            XCTAssertEqual(
                try values(of: observation, 1, in: writer, []),
                [
                    PrimaryKeyDiff(
                        inserted: [Place(id: 1, name: "Arles", rank: 3)],
                        deleted: [Place(id: 5, name: "Évry")])
                ])
        }
    }

    func testEachStartHasItsOwnDifferences() throws {
        try onEachWriter { writer in
            try writer.write { try $0.execute(sql: self.schema + ";" + self.writes[0]) }
            let observation = ValueObservation.trackingDiffs(Place.all())
            for _ in 1...2 {
                XCTAssertEqual(try values(of: observation, 1, in: writer, []).map(\.inserted.count), [2])
            }
        }
    }

    func testPrimaryKeyMayChange() throws {
        func migrate(_ columns: String, _ values: String) -> String {
            """
            CREATE TABLE new (\(columns)); INSERT INTO new SELECT \(values) FROM place;
            DROP TABLE place; ALTER TABLE new RENAME TO place
            """
        }
        try onEachWriter { writer in
            try writer.write { try $0.execute(sql: self.schema + ";" + self.writes[0]) }
            let observation = ValueObservation.trackingDiffs(Place.all())
            let diffs = try values(
                of: observation, 4, in: writer,
                [
                    migrate("id INTEGER, name TEXT PRIMARY KEY, rank INTEGER", "9 - id, name, rank"),
                    "UPDATE place SET rank = 1 WHERE name = 'Brest'",
                    // The new key has no value in the rows before.
                    migrate(
                        "id INTEGER, name TEXT, rank INTEGER, code INTEGER PRIMARY KEY", "id, name, rank, id"),
                ])
            let (arles, brest) = (
                Place(id: 8, name: "Arles", rank: 3), Place(id: 7, name: "Brest", rank: 1)
            )
            XCTAssertEqual(
                diffs[1],
                PrimaryKeyDiff(updated: [arles, Place(id: 7, name: "Brest", rank: 2)]))
            XCTAssertEqual(diffs[2], PrimaryKeyDiff(updated: [brest]))
            XCTAssertEqual(
                diffs[3], PrimaryKeyDiff(inserted: [brest, arles], deleted: [arles, brest]))
        }
    }

    func testKeyThatIsNotSelectedEndsTheObservation() throws {
        try onEachWriter { writer in
            try writer.write { try $0.execute(sql: self.schema) }
            let error = Mutex<(any Error)?>(nil)
            let end = DispatchSemaphore(value: 0)
            let request = SQLRequest<Place>(sql: "SELECT name FROM place")
            let cancellable = ValueObservation.trackingDiffs(request).start(
                in: writer, scheduling: .async(onQueue: DispatchQueue(label: "diffs")),
                onError: { received in
                    error.withLock { $0 = received }
                    end.signal()
                }, onChange: { _ in XCTFail("a value") })
            XCTAssertEqual(end.wait(timeout: .now() + 30), .success)
            cancellable.cancel()
            XCTAssertEqual((error.withLock { $0 } as? DatabaseError)?.resultCode, .SQLITE_MISUSE)
        }
    }

    func testRandomDifferencesEqualNaiveOnes() throws {
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        func randomPlaces() -> [Place] {
            (0..<Int.random(in: 0...12, using: &generator)).map { _ in
                Place(
                    id: .random(in: -3...8, using: &generator),
                    name: Bool.random(using: &generator) ? "a" : "b")
            }
        }
        try onEachQueue { dbQueue in
            try dbQueue.write { db in
                try db.execute(sql: schema)
                let requests = [
                    Place.orderByPrimaryKey(), Place.order(Column("id").desc), Place.order(Column("name")),
                ]
                var scanner = try PrimaryKeyDiffScanner(
                    database: db, request: requests[0], initialRecords: [])
                var model = Model()
                for round in 1...200 {
                    try db.execute(sql: "DELETE FROM place")
                    for place in randomPlaces() { try place.insert(db, onConflict: .replace) }
                    let request = requests[Int.random(in: requests.indices, using: &generator)]
                    scanner = try scanner.diffed(from: Row.fetchAll(db, request))
                    model.apply(scanner.diff)
                    let all = try Place.fetchAll(db)
                    XCTAssertEqual(
                        model.places, Dictionary(all.map { ($0.id, $0) }, uniquingKeysWith: { $1 }),
                        "seed \(seed), round \(round)")
                }
            }
        }
    }
}

/// A generator that a seed determines (SplitMix64).
private struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var value = state
        value = (value ^ (value >> 30)) &* 0xbf58_476d_1ce4_e5b9
        value = (value ^ (value >> 27)) &* 0x94d0_49bb_1331_11eb
        return value ^ (value >> 31)
    }
}
