#if PostgreSQL
    import Dispatch
    import Synchronization
    import VigilStorage
    import XCTest

    @testable import VigilPostgres

    /// Counts the commits of a feed.
    final class FeedReceiver: CommitFeedReceiver {
        private struct State {
            var commitCount = 0
            /// The number of commits that are forgotten.
            var forgotten = 0
            /// The tables of the current commit; `nil` in a commit that changed the whole database.
            var changes: Set<TableName>? = []
            /// The changed tables of the commits that are not forgotten, without
            /// ``ReportedTables/unreported``.
            var tables: Set<TableName> = []
            /// The changed rows of the commits that are not forgotten.
            var rows: [String] = []
            var databaseCount = 0
            var states: [CommitFeedState] = []
            var lags: [Duration] = []
        }

        /// The state without a publication.
        static let coarseState = CommitFeedState.coarse(reason: "the database has no publication named vigil")

        private let state = Mutex(State())
        private let news = DispatchSemaphore(value: 0)
        private let onCommit: @Sendable (Set<TableName>?) -> Void

        /// - Parameter onCommit: receives the changed tables; `nil` if the whole database has changed.
        init(onCommit: @escaping @Sendable (Set<TableName>?) -> Void = { _ in }) { self.onCommit = onCommit }

        var commitCount: Int { state.withLock { $0.commitCount } }
        var databaseCount: Int { state.withLock { $0.databaseCount } }
        var states: [CommitFeedState] { state.withLock { $0.states } }
        var tables: Set<TableName> { state.withLock { $0.tables } }
        var rows: [String] { state.withLock { $0.rows } }
        var lags: [Duration] { state.withLock { $0.lags } }

        func didReceiveCommit(after lag: Duration) { state.withLock { $0.lags.append(lag) } }

        /// Forgets the commits so far.
        func forget() {
            state.withLock { state in
                state.forgotten = state.commitCount
                state.tables = []
                state.rows = []
            }
        }

        /// Waits for a commit that is not forgotten.
        func waitForCommit(file: StaticString = #filePath, line: UInt = #line) {
            wait("no commit", file: file, line: line) { $0.commitCount != $0.forgotten }
        }

        /// Waits for a change of a table that is not forgotten.
        func waitForChange(of table: String, file: StaticString = #filePath, line: UInt = #line) {
            wait("no change of \(table)", file: file, line: line) {
                $0.tables.contains(TableName(name: table))
            }
        }

        /// Waits for a change of the whole database after the first `count` ones.
        func waitForDatabase(after count: Int, file: StaticString = #filePath, line: UInt = #line) {
            wait("no change of the database", file: file, line: line) { $0.databaseCount > count }
        }

        /// Waits until the feed has entered a state.
        func waitForState(_ expected: CommitFeedState, file: StaticString = #filePath, line: UInt = #line) {
            wait("not \(expected)", file: file, line: line) { $0.states.last == expected }
        }

        /// Waits until the feed is coarse, for a reason with this beginning.
        func waitForReason(_ prefix: String, file: StaticString = #filePath, line: UInt = #line) {
            wait("no reason \(prefix)", file: file, line: line) { state in
                guard case .coarse(let reason)? = state.states.last else { return false }
                return reason.hasPrefix(prefix)
            }
        }

        private func wait(
            _ message: String, file: StaticString, line: UInt, until condition: (borrowing State) -> Bool
        ) {
            while !state.withLock({ condition($0) }) {
                guard news.wait(timeout: .now() + 30) == .success else {
                    return XCTFail("\(message): \(states)", file: file, line: line)
                }
            }
        }

        func didChange(_ event: ChangeEvent) {
            state.withLock { state in
                switch event {
                case .table(let table): state.changes?.insert(table)
                case .database: state.changes = nil
                case .row(let row):
                    state.changes?.insert(row.table)
                    state.rows.append(row.text)
                }
            }
        }

        func didCommit() {
            let changes = state.withLock { state in
                defer { state.changes = [] }
                XCTAssertFalse(state.changes?.isEmpty == true, "a commit without changes")
                return state.changes
            }
            onCommit(changes)
            state.withLock { state in
                if changes == nil { state.databaseCount += 1 }
                state.tables.formUnion((changes ?? []).subtracting([ReportedTables.unreported]))
                state.commitCount += 1
            }
            news.signal()
        }

        func stateDidChange(_ feedState: CommitFeedState) {
            state.withLock { $0.states.append(feedState) }
            news.signal()
        }
    }
#endif
