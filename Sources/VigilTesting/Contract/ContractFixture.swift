import Dispatch
import Synchronization
import VigilStorage

/// Opens the connections of one check, and closes open ones at the end.
final class ContractFixture {
    let backend: any StorageBackend
    /// How long to wait for a hint on another thread.
    let timeout: Duration
    private let prefix: String
    private let makeLocation: (String) -> StorageLocation
    private var connections: [any StorageConnection] = []
    private var locationCount = 0

    init(
        _ backend: any StorageBackend, prefix: String, timeout: Duration,
        _ makeLocation: @escaping (String) -> StorageLocation
    ) {
        self.backend = backend
        self.timeout = timeout
        self.prefix = prefix
        self.makeLocation = makeLocation
    }

    /// Returns a location without a database.
    func location() -> StorageLocation {
        locationCount += 1
        return makeLocation("\(prefix)-\(locationCount)")
    }

    func open(
        _ location: StorageLocation, _ configure: (inout StorageOptions) -> Void = { _ in }
    ) throws -> ContractConnection {
        var options = StorageOptions()
        configure(&options)
        let connection = try backend.open(location, options: options)
        connections.append(connection)
        return ContractConnection(connection)
    }

    /// Opens a connection to a new database with a table of players.
    func players(count: Int = 0) throws -> ContractConnection {
        let connection = try open(location())
        try connection.createPlayers(count: count)
        return connection
    }

    /// Opens two connections to a new database with a table of players.
    func pair(
        count: Int = 0, busyHandler: (@Sendable (Int) -> Bool)? = nil
    ) throws -> (ContractConnection, ContractConnection) {
        let location = location()
        let first = try open(location) { $0.journalMode = .wal }
        try first.createPlayers(count: count)
        let second = try open(location) {
            $0.journalMode = .wal
            $0.busyHandler = busyHandler
        }
        return (first, second)
    }

    /// The time until which a check that begins to wait now waits.
    var deadline: DispatchTime {
        let (seconds, attoseconds) = timeout.components
        return .now() + .seconds(Int(clamping: seconds))
            + .nanoseconds(Int(clamping: attoseconds / 1_000_000_000))
    }

    /// Throws ``NotApplicable`` unless the backend declares a capability. The reason is what it lacks.
    func require(_ ability: Bool, _ reason: String) throws {
        if !ability { throw NotApplicable(reason: reason) }
    }

    func closeAll() {
        for connection in connections { try? connection.close() }
    }
}

/// A connection, with methods for all checks.
struct ContractConnection {
    static let player = TableName(name: "player")

    let storage: any StorageConnection
    /// The words of the backend, where they differ from SQLite.
    let dialect: SQLDialect

    init(_ storage: any StorageConnection) {
        self.storage = storage
        dialect = (storage as? any DialectProviding)?.dialect ?? .sqlite
    }

    /// Whether statements that only SQLite has can be used: `INSERT OR REPLACE`, `BEGIN IMMEDIATE`, and
    /// `SAVEPOINT` outside of a transaction.
    var hasStatementsOfSQLite: Bool { dialect.conflictResolution == .allClauses }

    /// Whether a column stores values of any kind.
    var hasUntypedColumns: Bool { dialect.typeNames.isEmpty }

    /// The definition of an integer key with generated values.
    var key: String {
        "id \(dialect.type("INTEGER"))\(dialect.integerKey.beforeConstraint) PRIMARY KEY"
    }

    /// Creates the table of players `p1`, `p2` and so on. Their score is ten times their id.
    func createPlayers(count: Int) throws {
        try execute(
            "CREATE TABLE player(\(key), name TEXT NOT NULL UNIQUE, score \(dialect.type("INTEGER")))")
        for id in 0..<count {
            try execute("INSERT INTO player VALUES (\(id + 1), 'p\(id + 1)', \((id + 1) * 10))")
        }
    }

    func insertPlayer(_ id: Int) throws {
        try execute("INSERT INTO player VALUES (\(id), 'p\(id)', \(id * 10))")
    }

    /// Runs all statements of `sql` to their end. The arguments are bound to the first one.
    func execute(_ sql: String, _ arguments: [StorageValue] = []) throws {
        var offset = 0
        var arguments = arguments
        while true {
            let preparation = try storage.prepare(sql, fromUTF8Offset: offset, isCached: false)
            guard let statement = preparation.statement else { return }
            defer { statement.finalize() }
            try statement.bind(arguments)
            while try statement.step() {}
            arguments = []
            offset = preparation.endUTF8Offset
        }
    }

    func rows(_ sql: String, _ arguments: [StorageValue] = []) throws -> [[StorageValue]] {
        try withStatement(sql) { statement in
            try statement.bind(arguments)
            return try statement.allRows()
        }
    }

    func integers(_ sql: String) throws -> [Int64] {
        try rows(sql).map { row in
            guard case .integer(let integer)? = row.first else {
                throw ContractFailure(message: sql, expected: "an integer", actual: "\(row)")
            }
            return integer
        }
    }

    func playerIDs() throws -> [Int64] {
        try integers("SELECT id FROM player ORDER BY id")
    }

    /// Compiles one statement, and finalizes it after `body`.
    func withStatement<Result>(
        _ sql: String, _ body: (any StorageStatement) throws -> Result
    ) throws -> Result {
        let preparation = try storage.prepare(sql, fromUTF8Offset: 0, isCached: false)
        let statement = try expectValue(preparation.statement, "the statement compiled from \(sql)")
        defer { statement.finalize() }
        return try body(statement)
    }

    func begin(_ command: TransactionCommand = .beginDeferred) throws {
        try storage.perform(command)
    }

    func commit() throws {
        try storage.perform(.commit)
    }

    /// Reports to a new sink while `body` runs, and returns the sink.
    @discardableResult
    func recording(
        _ interest: ChangeInterest, _ body: (RecordingSink) throws -> Void
    ) throws -> RecordingSink {
        let sink = RecordingSink()
        storage.report(to: sink, interest: interest)
        try body(sink)
        storage.report(to: nil, interest: .nothing)
        return sink
    }
}

extension StorageStatement {
    func bind(_ arguments: [StorageValue]) throws {
        for (index, argument) in arguments.enumerated() { try bind(argument, at: index + 1) }
    }

    /// A copy of the values of the current row.
    var values: [StorageValue] { (0..<row.count).map { row[$0].value } }

    /// Returns copies of the remaining rows.
    func allRows() throws -> [[StorageValue]] {
        var rows: [[StorageValue]] = []
        while try step() { rows.append(values) }
        return rows
    }

    func runAndReset() throws {
        while try step() {}
        reset()
    }
}

/// A list for callbacks on any thread.
final class ContractLog<Element: Sendable>: Sendable {
    private let state = Mutex<[Element]>([])

    var elements: [Element] { state.withLock { $0 } }

    func append(_ element: Element) {
        state.withLock { $0.append(element) }
    }
}

/// A connection for callbacks too. A lock protects it, so ``use(_:)`` must not be nested.
final class SharedConnection: Sendable {
    private let storage: Mutex<any StorageConnection>

    init(_ backend: any StorageBackend, _ location: StorageLocation) throws {
        var options = StorageOptions()
        options.journalMode = .wal
        storage = Mutex(try backend.open(location, options: options))
    }

    func use(_ body: (ContractConnection) throws -> Void) throws {
        try storage.withLock { try body(ContractConnection($0)) }
    }

    func close() {
        storage.withLock { try? $0.close() }
    }
}
