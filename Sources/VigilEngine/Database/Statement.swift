public import VigilRegions
package import VigilStorage

/// A compiled statement.
///
/// It belongs to the connection that compiled it, and is used inside an access of that connection.
public final class Statement {
    // A statement is only used inside accesses, during which the database is alive.
    unowned let database: Database
    let storage: any StorageStatement
    private lazy var parameterNames = (0..<storage.parameterCount).map {
        StatementArguments.name(ofParameter: storage.parameterName(at: $0 + 1))
    }
    private var cachedObserved: ObservedStatement?
    private var currentArguments = StatementArguments()
    /// Values that could not be bound when they were set; told when the statement runs.
    private var bindingError: (any Error)?
    /// Counts runs: a cursor of an earlier run finds that it is over.
    private(set) var runCount = 0
    /// Whether a run that may write was begun and has not ended: nothing is committed meanwhile.
    private var isWriting = false

    init(database: Database, storage: any StorageStatement) {
        self.database = database
        self.storage = storage
    }

    /// The SQL of this one statement.
    public var sql: String { storage.sql }

    /// The names of the columns of its rows.
    public var columnNames: [String] { storage.columnNames }

    /// The number of columns of its rows.
    public var columnCount: Int { storage.row.count }

    /// Whether the statement leaves the database file as it is.
    public var isReadonly: Bool { storage.access.isReadOnly }

    package var access: StatementAccess { storage.access }

    /// For the change hub; made again only if the statement turned out to touch more.
    var observed: ObservedStatement {
        if let cachedObserved, cachedObserved.access == storage.access { return cachedObserved }
        let observed = ObservedStatement(storage.access)
        cachedObserved = observed
        return observed
    }

    /// What the statement reads, as the database reports it.
    public var databaseRegion: DatabaseRegion { DatabaseRegion(reading: storage.access) }

    // MARK: - Arguments

    /// The values of its parameters. A wrong number of them is told when the statement runs.
    public var arguments: StatementArguments {
        get { currentArguments }
        set {
            do {
                try setArguments(newValue)
            } catch {
                bindingError = error
            }
        }
    }

    /// Sets the values of its parameters.
    ///
    /// - Throws: `DatabaseError` with `SQLITE_MISUSE` that names what is missing or too much.
    public func setArguments(_ arguments: StatementArguments) throws {
        var rest = arguments
        try bind(from: &rest, allowsRemainder: false)
        currentArguments = arguments
    }

    /// Takes the values that this statement needs from the front of `arguments`.
    func bind(from arguments: inout StatementArguments, allowsRemainder: Bool) throws {
        bindingError = nil
        let values = try arguments.consume(
            forParametersNamed: parameterNames, sql: sql, allowsRemainder: allowsRemainder)
        guard !values.isEmpty else { return }
        storage.reset()
        try database.storage { () throws(StorageError) in
            for (index, value) in values.enumerated() { try storage.bind(value.storageValue, at: index + 1) }
        }
    }

    // MARK: - Running

    /// Runs the statement to its end, and drops the rows that it returns.
    public func execute(arguments: StatementArguments? = nil) throws {
        if let arguments { try setArguments(arguments) }
        try run()
    }

    func run() throws {
        try begin()
        while try step() {}
    }

    /// Begins a run; ``step()`` continues it.
    func begin() throws {
        if let bindingError { throw bindingError }
        try database.checkCancellation()
        if isWriting { abandon(run: runCount) }
        runCount += 1
        storage.reset()
        try database.willRun(self)
        setWriting(!access.isReadOnly)
    }

    /// The next row, in `storage.row`; `false` after the last.
    func step() throws -> Bool {
        do {
            try database.checkCancellation()
        } catch {
            abandon(run: runCount)
            throw error
        }
        let hasRow: Bool
        do {
            hasRow = try isWriting ? database.stepping(self, storage.step) : storage.step()
        } catch {
            setWriting(false)
            try database.didFail()
            if error.code.primary == .interrupt { try database.checkCancellation() }
            throw DatabaseError(
                error, sql: sql, arguments: currentArguments,
                publicStatementArguments: database.configuration.publicStatementArguments)
        }
        if !hasRow {
            setWriting(false)
            try database.didRun(storage.access)
        }
        return hasRow
    }

    /// Ends a run before its last row.
    func abandon(run: Int) {
        guard run == runCount else { return }
        storage.reset()
        setWriting(false)
        try? database.didRun(storage.access)
    }

    private func setWriting(_ isWriting: Bool) {
        guard isWriting != self.isWriting else { return }
        self.isWriting = isWriting
        database.writingStatementCount += isWriting ? 1 : -1
    }
}
