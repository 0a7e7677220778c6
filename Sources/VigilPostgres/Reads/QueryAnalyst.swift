import Synchronization
import VigilStorage

/// Determines the reads of queries from the trees that the server makes of them.
///
/// The server stores the analysed tree of a function's body. The analyst creates a temporary function with
/// the query as its body, reads the tree, and rolls back. A reader cannot, as its transaction is read-only.
/// The analyst has a session of its own, with the role and the search path of the reader, opened when the
/// first query is analysed.
///
/// A reader that holds locks waits for the analyst, which may wait for another transaction that waits for the
/// reader. The server does not notice that, so the analyst waits for locks only briefly.
final class QueryAnalyst: Sendable {
    /// Mirrors of it show no password.
    private let address: StorageAddress
    private let cache = Mutex(AnalysisCache())
    private let session = Mutex<AnalystSession?>(nil)
    /// Whether a reader had another role than the one of its address.
    private let otherRoles: Atomic<Bool>
    private let handlers = Mutex(Handlers())

    private struct Handlers {
        var onOtherRole: (@Sendable () -> Void)?
    }

    /// - Parameter hasOtherRoles: whether readers may have other roles without an analysis that shows it.
    init(address: String, hasOtherRoles: Bool = false) {
        self.address = StorageAddress(address)
        otherRoles = Atomic(hasOtherRoles)
    }

    /// Calls a function when ``hasSeenOtherRoles`` changes.
    func whenOtherRoleIsSeen(_ body: @escaping @Sendable () -> Void) {
        handlers.withLock { $0.onOtherRole = body }
    }

    var hasSeenOtherRoles: Bool { otherRoles.load(ordering: .acquiring) }

    /// Returns the reads of a query.
    ///
    /// - Parameters:
    ///   - sql: the text of the query for the server.
    ///   - types: the types of its parameters.
    ///   - identity: the session that will run it.
    ///   - version: the version of the reported tables. The analysis must be discarded if it is no longer
    ///     the current one when it is used.
    func reads(of sql: String, types: [UInt32], identity: SessionIdentity, version: Int) -> QueryAnalysis {
        if identity.role != identity.user, !otherRoles.exchange(true, ordering: .acquiringAndReleasing) {
            handlers.withLock { $0.onOtherRole }?()
        }
        if identity.hasTemporarySchema { return .unknown(reason: "the session may have temporary tables") }
        let key = AnalysisCache.Key(sql: sql, types: types, identity: identity)
        func keptAnalysis() -> QueryAnalysis? {
            switch cache.withLock({ $0.look(up: key, version: version, at: .now) }) {
            case .known(let analysis): analysis
            case .unknown(let reason): .unknown(reason: reason)
            case .unavailable(let reason): .unavailable(reason: reason)
            case .analyse: nil
            }
        }
        if let analysis = keptAnalysis() { return analysis }
        return session.withLock { session in
            // Another reader may have asked for the same query, or failed.
            if let analysis = keptAnalysis() { return analysis }
            do throws(StorageError) {
                // The role may have received the privilege since then.
                if session?.refusal != nil, session?.version != version { session = nil }
                if session == nil { session = try AnalystSession(address.connectionString, version: version) }
                let analysis =
                    try session?.analyse(key, version: version)
                    ?? .unknown(reason: "the server is not connected")
                let isValid = cache.withLock {
                    $0.didAnalyse(key, analysis, version: version, at: .now)
                }
                return isValid ? analysis : .unknown(reason: "the schema has changed in the meantime")
            } catch {
                session = nil
                cache.withLock { $0.didFail(at: .now) }
                return .unavailable(reason: "the server could not analyse it: \(error.message)")
            }
        }
    }

    /// Ends the session.
    func close() { session.withLock { $0 = nil } }
}

/// The session of a ``QueryAnalyst``.
private struct AnalystSession {
    private let connection: PostgresConnection
    /// The built-in functions without reads.
    private let harmless: Set<UInt32>
    /// Why queries cannot be analysed in this session.
    let refusal: String?
    /// The version of the reported tables when the session was opened.
    let version: Int
    private var catalog = ComparisonCatalog()
    /// The reads that every query may have, and the version for which they and ``catalog`` are valid.
    private var implicit: (version: Int, reads: QueryReads)?

    /// The time to wait for a lock, and for a whole command.
    private static let limits = "SET lock_timeout = '100ms'; SET statement_timeout = '2s';"

    init(_ address: String, version: Int) throws(StorageError) {
        let connection = try PostgresConnection(address)
        self.connection = connection
        connection.timeouts.answer = .seconds(4)
        self.version = version
        guard !connection.session.isStandby else {
            throw StorageError(.error, "a standby does not analyse queries")
        }
        // Also in a session that replaces this one.
        try connection.prepareSessions { [unowned connection] () throws(StorageError) in
            try connection.run(Self.limits)
        }
        // Creates the schema for temporary objects. Later failures of an analysis then write nothing.
        var probe = ""
        do throws(StorageError) {
            let answers = try connection.run(
                """
                BEGIN READ WRITE; CREATE FUNCTION pg_temp.vigil_reads() RETURNS int LANGUAGE sql RETURN 1;
                SELECT prosqlbody::text FROM pg_catalog.pg_proc
                WHERE proname = 'vigil_reads' AND pronamespace = pg_catalog.pg_my_temp_schema();
                DROP FUNCTION pg_temp.vigil_reads(); COMMIT
                """)
            probe = answers.first { $0.columnCount == 1 && $0.rowCount == 1 }?.text(row: 0, column: 0) ?? ""
            refusal = nil
        } catch {
            guard error.code != .connectionLost, !error.isTransient else { throw error }
            refusal = "the role may not create temporary objects: \(error.message)"
            try connection.run("ROLLBACK")
        }
        let names = HarmlessFunctions.names.map(\.quotedSQLText).joined(separator: ",")
        let rows = try connection.query(
            """
            SELECT oid FROM pg_catalog.pg_proc WHERE oid < 16384 AND prosqlbody IS NULL
            AND (provolatile = 'i' OR proname IN (\(names)))
            """)
        harmless = Set(rows.compactMap { $0[0].flatMap { UInt32($0) } })
        catalog = try ComparisonCatalog(connection, probe: probe)
    }

    /// Returns the reads of a query.
    ///
    /// - Throws: an error that may pass, or a lost connection.
    mutating func analyse(_ key: AnalysisCache.Key, version: Int) throws(StorageError) -> QueryAnalysis {
        if let refusal { return .unknown(reason: refusal) }
        guard key.types.count <= 100 else {
            return .unknown(reason: "the server analyses queries with at most 100 parameters")
        }
        do throws(CatalogWalk.Failure) {
            defer { _ = try? connection.run("ROLLBACK") }
            return .known(try reads(of: key, version: version))
        } catch {
            switch error {
            case .unknown(let reason): return .unknown(reason: reason)
            case .server(let error):
                let isPassing = error.code == .connectionLost || error.isTransient
                guard !isPassing, connection.machine.isConnected else { throw error }
                return .unknown(reason: "the server does not analyse it: \(error.message)")
            }
        }
    }

    private mutating func reads(of key: AnalysisCache.Key, version: Int)
        throws(CatalogWalk.Failure) -> QueryReads
    {
        let tree: String
        do throws(StorageError) {
            tree = try self.tree(of: key, names(of: key.types))
        } catch {
            throw .server(error)
        }
        let known: QueryReads
        if let implicit, implicit.version == version {
            known = implicit.reads
        } else {
            var walk = CatalogWalk(connection, harmless: harmless)
            try walk.addImplicitCalls()
            known = try walk.run()
            do throws(StorageError) {
                try catalog.readDefinitions(connection)
            } catch {
                throw .server(error)
            }
            implicit = (version, known)
        }
        var walk = CatalogWalk(connection, harmless: harmless)
        try walk.add(query: tree)
        return try walk.run(besides: known, catalog)
    }

    /// Returns the tree of a query. Leaves the transaction open, with the search path `pg_catalog`.
    private func tree(of key: AnalysisCache.Key, _ types: [String]) throws(StorageError) -> String {
        let identity = key.identity
        let answers = try connection.run(
            """
            BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE;
            SET LOCAL ROLE \(identity.role.quotedSQLName);
            SELECT pg_catalog.set_config('search_path', \(identity.searchPath.quotedSQLText), true);
            SELECT session_user, current_user, pg_catalog.current_setting('search_path'), false,
                \(SessionIdentity.serverColumn);
            CREATE FUNCTION pg_temp.vigil_reads(\(types.joined(separator: ","))) RETURNS void LANGUAGE sql BEGIN ATOMIC
            \(key.sql);
            END;
            SET LOCAL search_path = pg_catalog; RESET ROLE;
            SELECT prosqlbody::text FROM pg_proc WHERE proname = 'vigil_reads' AND pronamespace = pg_my_temp_schema()
            """)
        let own = answers.first { $0.columnCount == 5 }.flatMap { SessionIdentity($0, fromColumn: 0) }
        guard own == identity, let answer = answers.last, answer.rowCount == 1,
            let tree = answer.text(row: 0, column: 0)
        else {
            var error = StorageError(.error, "the session has another user, role, search path or server")
            // Another session may lead to the right server.
            error.isTransient = own.map { $0.server != identity.server } ?? false
            throw error
        }
        return tree
    }

    private func names(of types: [UInt32]) throws(StorageError) -> [String] {
        guard !types.isEmpty else { return [] }
        let rows = try connection.query(
            """
            SELECT pg_catalog.quote_ident(nspname) || '.' || pg_catalog.quote_ident(typname)
            FROM pg_catalog.unnest($1::pg_catalog.oid[]) WITH ORDINALITY AS k (type, position)
            JOIN pg_catalog.pg_type t ON t.oid = k.type JOIN pg_catalog.pg_namespace n ON n.oid = t.typnamespace
            ORDER BY k.position
            """, ["{\(types.map(String.init).joined(separator: ","))}"])
        guard rows.count == types.count else {
            throw StorageError(.error, "the type of a parameter does not exist")
        }
        return rows.map { $0[0] ?? "" }
    }
}
