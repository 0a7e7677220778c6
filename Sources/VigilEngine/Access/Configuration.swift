public import Dispatch
import Foundation
public import Logging
public import VigilStorage

/// How a database is opened and used. A value: changing it after the database was opened changes nothing.
public struct Configuration: Sendable {
    /// What opens the database; `nil` for the default of the build, which is SQLite where it is enabled.
    public var backend: (any StorageBackend)?

    /// A name for connections, queues and messages.
    public var label: String?

    /// Whether the database can only be read. It must then exist.
    public var readonly = false

    /// What happens when another connection has locked the database.
    ///
    /// By default, an access fails at once. If ``foreignChanges`` is `.observed`, the default is to wait for five seconds, because
    /// other connections are expected to write.
    public var busyMode: Database.BusyMode {
        get { chosenBusyMode ?? (foreignChanges == .observed ? .timeout(5) : .immediateError) }
        set { chosenBusyMode = newValue }
    }

    /// `nil` until ``busyMode`` is set.
    private var chosenBusyMode: Database.BusyMode?

    public var foreignKeysEnabled = true

    /// Whether `"text"` in double quotes may stand for a string: SQLite's old habit, off by default.
    public var acceptsDoubleQuotedStringLiterals = false

    /// Whether an access may end with an open transaction. Otherwise that is a programming error.
    public var allowsUnsafeTransactions = false

    /// Whether values bound to statements may appear in the descriptions of errors.
    public var publicStatementArguments = false

    /// The most readers that a `DatabasePool` opens.
    public var maximumReaderCount = 5

    /// The queue that the accesses' own queues target.
    public var targetQueue: DispatchQueue?

    /// The same for the writer; ``targetQueue`` if `nil`, and in a read-only database.
    public var writeTargetQueue: DispatchQueue?

    /// The quality of service of database work without a target queue.
    public var qos: DispatchQoS = .userInitiated

    /// Whether `Database.suspendNotification` suspends the database, and `Database.resumeNotification` resumes it.
    public var observesSuspensionNotifications = false

    /// Whether changes by other connections and other processes are looked for.
    public var foreignChanges = ForeignChanges.ignored

    /// Whether an update that leaves a row as it was counts as no change for value observations. It needs row
    /// images, which some libraries do not have; without them, the columns that a statement names count.
    ///
    /// Off, everything counts as a statement names it: an observation of rows that meet a condition is touched by all rows.
    public var ignoresNoOpUpdates = true

    /// How the database keeps commits atomic.
    public var journalMode = JournalModeConfiguration.default

    /// Where observations say what they do, and why: at the level `debug`, failures at `error`. `nil`: nowhere.
    ///
    /// Values that are bound to statements, and values that are read, are never written there.
    public var logger: Logger?

    /// What tells about the schema what the database cannot know; not asked during migrations.
    public var schemaSource: (any DatabaseSchemaSource)?

    /// What tells the date of transactions: see ``Database/transactionDate``.
    public var transactionClock: any TransactionClock = .default

    /// Whether the file was made by somebody who means no harm. See ``untrusted``.
    public var trustsFile = true

    var setups: [@Sendable (Database) throws -> Void] = []

    /// How a database keeps commits atomic.
    public enum JournalModeConfiguration: Sendable {
        /// A write-ahead log for a `DatabasePool`; for others, what the database has.
        case `default`
        /// A write-ahead log.
        case wal
    }

    /// Whether commits by somebody else than the app's own connection are noticed.
    public enum ForeignChanges: Sendable, Hashable {
        /// They are not; `Database.notifyChanges(in:)` can tell.
        case ignored
        /// They are, coarsely: any of them counts as a change of the whole database.
        case observed
    }

    public init() {}

    /// Adds something to do with each connection after it was opened, before it is used otherwise.
    public mutating func prepareDatabase(_ setup: @escaping @Sendable (Database) throws -> Void) {
        setups.append(setup)
    }

    /// How the backend is to open a connection.
    func storageOptions(readOnly: Bool) -> StorageOptions {
        var options = StorageOptions()
        options.access = readOnly ? .readOnly : .create
        options.foreignKeysEnabled = foreignKeysEnabled
        options.acceptsDoubleQuotedStringLiterals = acceptsDoubleQuotedStringLiterals
        options.busyHandler = busyMode.handler
        if journalMode == .wal { options.journalMode = .wal }
        options.trustsFile = trustsFile
        options.isPreparedBeforeUse = !setups.isEmpty
        return options
    }

    func makeQueue(label: String, target: DispatchQueue?) -> DispatchQueue {
        guard let target else { return DispatchQueue(label: label, qos: qos) }
        return DispatchQueue(label: label, target: target)
    }
}
