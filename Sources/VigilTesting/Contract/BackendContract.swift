public import VigilStorage

/// The checks that every backend must pass: promises to the layers above the storage protocols.
///
/// The checks need no test framework. They use the subset of SQL of ``SimulatedBackend``, which is also
/// valid for SQLite. In XCTest:
///
/// ```swift
/// func testContract() {
///     let contract = BackendContract(backend: MyBackend()) { .file(path: "\(directory)/\($0).db") }
///     for failure in contract.runAll() { XCTFail("\(failure)") }
/// }
/// ```
///
/// The contract finds mistakes that would make an observation miss a change, see half a transaction, or hang.
/// It does not test the SQL dialect or speed.
public struct BackendContract {
    /// A promise, with its check.
    public struct Check: Sendable, CustomStringConvertible {
        /// The name of the check, such as `uncommittedChangesAreInvisible`. Names are unique.
        public let name: String
        /// The promise, as a sentence.
        public let sentence: String
        let body: @Sendable (ContractFixture) throws -> Void

        init(
            _ name: String, promise sentence: String,
            _ body: @escaping @Sendable (ContractFixture) throws -> Void
        ) {
            self.name = name
            self.sentence = sentence
            self.body = body
        }

        /// The name and the promise.
        public var description: String { "\(name): \(sentence)" }
    }

    /// The outcome of a successful check.
    public enum Outcome: Sendable, Hashable {
        /// The backend keeps its promise.
        case passed
        /// The check was skipped: the backend does not declare a capability. The text names what is missing.
        case notApplicable(String)
    }

    /// A failed check.
    public struct Failure: Sendable, CustomStringConvertible {
        /// The check.
        public let check: Check
        /// A ``ContractFailure``, or an unexpected error of the backend.
        public let error: any Error

        /// The name of the check, the promise and the error.
        public var description: String { "\(check.name) (\(check.sentence)): \(error)" }
    }

    private let backend: any StorageBackend
    private let timeout: Duration
    private let makeLocation: (String) -> StorageLocation

    /// Creates the contract for a backend.
    ///
    /// - Parameters:
    ///   - backend: the backend to check.
    ///   - timeout: how long to wait for a hint of a foreign change before a check fails. If the hint
    ///     arrives, the check continues immediately.
    ///   - makeLocation: returns a location without a database, for several connections. Its argument is
    ///     valid as a part of a file name, and differs between the calls of one run of a check.
    public init(
        backend: any StorageBackend, timeout: Duration = .seconds(20),
        makeLocation: @escaping (_ name: String) -> StorageLocation
    ) {
        self.backend = backend
        self.timeout = timeout
        self.makeLocation = makeLocation
    }

    /// All checks, ordered from simple to complex: a failure is often the cause of later ones.
    public static var allChecks: [Check] {
        [
            OpeningChecks.all, ValueChecks.all, StatementChecks.all, FailureChecks.all,
            TransactionChecks.all, SavepointChecks.all, IsolationChecks.all, InterruptionChecks.all,
            ClosingChecks.all, AccessChecks.all, ConditionChecks.all, PlanChecks.all, SchemaChecks.all,
            ChangeChecks.all, DeletionChecks.all, CommitChecks.all, SinkChecks.all, ForeignChangeChecks.all,
            FeedChecks.all,
        ].flatMap { $0 }
    }

    /// Runs a check on new databases, and closes them.
    ///
    /// - Returns: ``Outcome/passed``, or that the check does not apply to the backend.
    /// - Throws: ``ContractFailure`` if the backend breaks the promise, or an error of the backend.
    @discardableResult
    public func run(_ check: Check) throws -> Outcome {
        let fixture = ContractFixture(backend, prefix: check.name, timeout: timeout, makeLocation)
        defer { fixture.closeAll() }
        do {
            try check.body(fixture)
            return .passed
        } catch let reason as NotApplicable {
            return .notApplicable(reason.reason)
        }
    }

    /// Runs all applicable checks, and returns the failed ones.
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
