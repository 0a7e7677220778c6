import VigilStorage

/// The server of a session, and the state that decides which objects the names in a query mean.
struct SessionIdentity: Sendable, Hashable {
    var user: String
    var role: String
    var searchPath: String
    /// Whether the session has a schema for temporary objects, which hide others.
    var hasTemporarySchema: Bool
    /// The run of the server: the time of its start.
    var server = ""

    static func == (a: SessionIdentity, b: SessionIdentity) -> Bool {
        a.user.isIdentical(to: b.user) && a.role.isIdentical(to: b.role)
            && a.searchPath.isIdentical(to: b.searchPath) && a.hasTemporarySchema == b.hasTemporarySchema
            && a.server == b.server
    }

    /// SQL for the run of a server. A standby has another one than its primary.
    static let serverColumn = "extract(epoch FROM pg_catalog.pg_postmaster_start_time())"

    /// SQL for the columns that describe the identity of a session.
    static let columns = """
        session_user, current_user, pg_catalog.current_setting('search_path'), pg_catalog.pg_my_temp_schema() <> 0,
        \(serverColumn)
        """
}

extension SessionIdentity {
    /// Reads the identity from the columns of an answer, beginning with a number.
    init?(_ answer: PostgresResult?, fromColumn column: Int) {
        guard let answer, let user = answer.text(row: 0, column: column),
            let role = answer.text(row: 0, column: column + 1),
            let searchPath = answer.text(row: 0, column: column + 2),
            let hasTemporarySchema = answer.text(row: 0, column: column + 3),
            let server = answer.text(row: 0, column: column + 4)
        else { return nil }
        self.user = user
        self.role = role
        self.searchPath = searchPath
        self.hasTemporarySchema = hasTemporarySchema == "t"
        self.server = server
    }
}
