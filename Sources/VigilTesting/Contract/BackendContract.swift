public import VigilStorage

/// What everything above the storage protocols relies on: checks that any backend must pass.
///
/// The checks need no test framework. They use the SQL that ``SimulatedBackend`` lists, which is also valid SQLite. In XCTest:
///
/// ```swift
/// func testContract() {
///     let contract = BackendContract(backend: MyBackend()) { .file(path: "\(directory)/\($0).db") }
///     for failure in contract.runAll() { XCTFail("\(failure)") }
/// }
/// ```
///
/// It finds what would make an observation miss a change, see half a transaction, or hang. It does not test forms of SQL,
/// nor speed.
public struct BackendContract {
    /// One promise, and what finds out whether it is kept.
    public struct Check: Sendable, CustomStringConvertible {
        /// For selecting it, such as `uncommittedChangesAreInvisible`.
        public let name: String
        /// The promise.
        public let sentence: String
        let body: @Sendable (ContractBench) throws -> Void

        init(_ name: String, _ sentence: String, _ body: @escaping @Sendable (ContractBench) throws -> Void) {
            self.name = name
            self.sentence = sentence
            self.body = body
        }

        public var description: String { "\(name): \(sentence)" }
    }

    public enum Outcome: Sendable, Hashable {
        case passed
        /// The backend does not claim to be able to do this; with what it lacks.
        case notApplicable(String)
    }

    /// A check that found the promise broken.
    public struct Failure: Sendable, CustomStringConvertible {
        public let check: Check
        /// A ``ContractFailure``, or what the backend threw where it should not.
        public let error: any Error

        public var description: String { "\(check.name) (\(check.sentence)): \(error)" }
    }

    private let backend: any StorageBackend
    private let patience: Duration
    private let makeLocation: (String) -> StorageLocation

    /// - Parameters:
    ///   - patience: how long a sign of a foreign change may take to arrive. Only a sign that is missing takes so long.
    ///   - makeLocation: answers a location where there is no database yet, and that several connections can open. Its
    ///     argument is a name that may be part of a file's, and that no other call of the same check had.
    public init(
        backend: any StorageBackend, patience: Duration = .seconds(20),
        makeLocation: @escaping (_ name: String) -> StorageLocation
    ) {
        self.backend = backend
        self.patience = patience
        self.makeLocation = makeLocation
    }

    /// All checks, from the simple to the intricate: the first failure is often the reason of the next.
    public static var allChecks: [Check] {
        [
            OpeningChecks.all, ValueChecks.all, StatementChecks.all, FailureChecks.all,
            TransactionChecks.all, SavepointChecks.all, IsolationChecks.all, InterruptionChecks.all,
            ClosingChecks.all, AccessChecks.all, ConditionChecks.all, SchemaChecks.all, ChangeChecks.all,
            DeletionChecks.all, CommitChecks.all, SinkChecks.all, ForeignChangeChecks.all,
        ].flatMap { $0 }
    }

    /// Runs one check, on databases of its own.
    ///
    /// - Throws: ``ContractFailure`` if the promise is broken, or the error that the backend threw instead of keeping it.
    @discardableResult
    public func run(_ check: Check) throws -> Outcome {
        let bench = ContractBench(backend, prefix: check.name, patience: patience, makeLocation)
        defer { bench.closeAll() }
        do {
            try check.body(bench)
            return .passed
        } catch let reason as NotApplicable {
            return .notApplicable(reason.reason)
        }
    }

    /// Runs all checks.
    ///
    /// - Returns: those that failed; none if the backend keeps the contract.
    public func runAll() -> [Failure] {
        Self.allChecks.compactMap { check in
            do {
                try run(check)
                return nil
            } catch {
                return Failure(check: check, error: error)
            }
        }
    }
}
