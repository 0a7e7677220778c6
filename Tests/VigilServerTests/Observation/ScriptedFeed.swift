#if PostgreSQL
    import Synchronization
    import VigilStorage

    @testable import VigilPostgres

    /// A backend whose feed makes the reports of the test.
    struct ScriptedBackend: StorageBackend, CommitFeeding {
        let feed: ScriptedFeed
        let name = "scripted"

        func open(_ location: StorageLocation, options: StorageOptions) throws(StorageError)
            -> any StorageConnection
        {
            try PostgresBackend().open(location, options: options)
        }

        func commitFeed(
            of location: StorageLocation, options: StorageOptions, to receiver: any CommitFeedReceiver
        ) throws(StorageError) -> (any StorageCommitFeed)? {
            feed.receiver.withLock { $0 = receiver }
            receiver.stateDidChange(.precise)
            return feed
        }
    }

    /// A feed with the rules of ``ReportedTables``, without a source.
    final class ScriptedFeed: TableReporting {
        let reportedTables = ReportedTables()
        let analyst: QueryAnalyst
        let receiver = Mutex<(any CommitFeedReceiver)?>(nil)
        private let schema: String
        private let control: Mutex<PostgresConnection>
        private let versions = Mutex((token: "", catalog: ""))

        init(_ address: String, schema: String) throws {
            analyst = QueryAnalyst(address: address)
            self.schema = schema
            control = Mutex(try PostgresConnection(address))
        }

        func cancel() { analyst.close() }

        /// Begins to report some tables.
        func begin(_ tables: [String]) throws {
            let catalog = try control.withLock { try $0.catalogVersion(includesAllRoles: true) }
            let token = try token()
            versions.withLock { $0 = (token, catalog) }
            reportedTables.replace(Set(tables.map { TableName(name: $0) }), mainSchema: schema)
            report(.database)
        }

        private func token() throws -> String {
            try control.withLock { try $0.query("SELECT pg_current_snapshot()::text").first?[0] ?? "" }
        }

        /// Follows the commits of another server; `nil` for any.
        func move(to server: String?) { reportedTables.replaceServer(server) }

        /// Stops to report single tables.
        func end() {
            reportedTables.replace(nil, mainSchema: schema)
            report(.database)
        }

        /// Reports a commit with changes of tables.
        func report(_ tables: String...) {
            for table in tables { receiver.withLock { $0 }?.didChange(.table(TableName(name: table))) }
            receiver.withLock { $0 }?.didCommit()
        }

        private func report(_ event: ChangeEvent) {
            receiver.withLock { $0 }?.didChange(event)
            receiver.withLock { $0 }?.didCommit()
        }

        /// Reads the token and the version of the catalog, and reports what they show.
        ///
        /// - Returns: whether anything was reported.
        func look() throws -> Bool {
            let token = try token()
            guard token != versions.withLock({ $0.token }) else { return false }
            let catalog = try control.withLock { try $0.catalogVersion(includesAllRoles: true) }
            let isChanged = versions.withLock { versions in
                defer { versions = (token, catalog) }
                return versions.catalog != catalog
            }
            if isChanged {
                reportedTables.replace(reportedTables.state.tables, mainSchema: schema)
                report(.database)
            } else {
                report(.table(ReportedTables.unreported))
            }
            return true
        }
    }
#endif
