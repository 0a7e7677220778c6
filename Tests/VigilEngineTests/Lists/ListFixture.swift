import Vigil
import XCTest

struct ListedPlayer: FetchableRecord, Sendable, Equatable, Identifiable {
    var id: Int64
    var name: String
    var score: Int

    init(row: Row) {
        id = row["id"]
        name = row["name"]
        score = row["score"]
    }
}

/// A started observation of a list, whose versions are replayed.
final class ListFixture<Element: Sendable & Equatable> {
    let writer: any DatabaseWriter
    private let label: String
    private let lists = Recorder<ObservedList<Element>>()
    let errors = Recorder<String>()
    private var cancellable: AnyDatabaseCancellable?
    /// The versions whose differences were checked.
    private var replay = ListReplay<Element>()
    private var replayedCount = 0

    init(
        _ writer: any DatabaseWriter, label: String = "list",
        _ observation: ValueObservation<ValueReducers.List<Element>>
    ) throws {
        self.writer = writer
        self.label = label
        cancellable = observation.labeled(label).start(
            in: writer, scheduling: .inline, onError: { [errors] in errors.append("\($0)") },
            onChange: { [lists] in lists.append($0) })
        try drain()
    }

    /// Waits until no observation has anything to do.
    func drain() throws { try writer.waitForFetches() }

    func write(_ sql: String) throws {
        try writer.writeWithoutTransaction { db in try db.execute(sql: sql) }
        try drain()
    }

    func wait(until isDone: @escaping @Sendable ([ObservedList<Element>]) -> Bool) {
        lists.wait(until: isDone)
    }

    /// The number of delivered lists.
    var count: Int { lists.all.count }

    /// The last list, after the differences between all versions were checked.
    func list(file: StaticString = #filePath, line: UInt = #line) -> [Element] {
        let lists = lists.all
        for list in lists[replayedCount...] { replay.show(list) }
        replayedCount = lists.count
        XCTAssertNil(replay.complaint, file: file, line: line)
        return Array(replay.shown)
    }

    var last: ObservedList<Element>? { lists.all.last }

    /// How the list was fetched so far.
    func status(file: StaticString = #filePath, line: UInt = #line) throws -> ListStatistics {
        try XCTUnwrap(
            writer.observations.first { $0.label == label }?.list, file: file, line: line)
    }
}

extension ListedPlayer {
    static let table = """
        CREATE TABLE team(id INTEGER PRIMARY KEY, name TEXT);
        CREATE TABLE player(id INTEGER PRIMARY KEY, team, name TEXT, score);
        INSERT INTO team VALUES (1, 'Reds'), (2, 'Blues');
        INSERT INTO player VALUES (1, 1, 'Ann', 10), (2, 1, 'Bob', 30), (3, 2, 'Cid', 20), (4, 2, 'Dee', 30);
        """

    static let ranking = SQLRequest<ListedPlayer>(sql: "SELECT * FROM player ORDER BY score DESC")
}

/// Delivers the initial value before the observation has started, and other values on the thread that fetched
/// them.
struct ImmediateInlineScheduler: ValueObservationScheduler {
    func immediateInitialValue() -> Bool { true }
    var _mayScheduleInAccess: Bool { true }
    func schedule(_ action: @escaping @Sendable () -> Void) { action() }
}

/// Runs a test on in-memory queues and pools with players, with each backend. The file of a queue makes no
/// difference to lists.
func onEachListWriter(
    _ configuration: Configuration = Configuration(), _ body: (any DatabaseWriter) throws -> Void
) throws {
    for (_, backend) in testedBackends {
        var configuration = configuration
        configuration.backend = backend
        let directory = try TemporaryDirectory()
        let writers: [any DatabaseWriter] = [
            try DatabaseQueue(configuration: configuration),
            try DatabasePool(path: directory.file("pool.sqlite"), configuration: configuration),
        ]
        for writer in writers {
            try writer.write { db in try db.execute(sql: ListedPlayer.table) }
            try body(writer)
        }
    }
}
