#if PostgreSQL
    import Foundation

    /// A schema on the server that `VIGIL_POSTGRES` names.
    public enum ServerSchema {
        /// Creates a schema, runs a script in it, calls `body` with the address of the schema, and removes
        /// the schema.
        ///
        /// It uses libpq alone, so that the measured engine has not run before.
        ///
        /// - Throws: ``Absence`` if `VIGIL_POSTGRES` is not set.
        public static func with<Result>(
            _ script: String, _ body: (_ address: String) throws -> Result
        ) throws -> Result {
            guard let server = ProcessInfo.processInfo.environment["VIGIL_POSTGRES"] else {
                throw Absence("VIGIL_POSTGRES does not name a server: eval \"$(Scripts/postgres start)\"")
            }
            let name = "benchmark_\(ProcessInfo.processInfo.processIdentifier)"
            let address = "\(server)\(server.contains("?") ? "&" : "?")options=-csearch_path%3D\(name)"
            let connection = try ReferenceServer(address: address)
            // Without the list of what DROP SCHEMA removes.
            try connection.execute("SET client_min_messages = warning; CREATE SCHEMA \(name)")
            defer { try? connection.execute("DROP SCHEMA \(name) CASCADE") }
            try connection.execute(script)
            return try body(address)
        }
    }
#endif
