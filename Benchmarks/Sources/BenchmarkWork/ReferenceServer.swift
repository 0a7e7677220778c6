#if PostgreSQL
    import CReference
    import Foundation

    /// A connection to a PostgreSQL server with libpq, for use by one thread at a time.
    public final class ReferenceServer {
        private let handle: OpaquePointer

        /// Connects to a server and prepares the statement that the other methods run.
        public init(address: String, statement sql: String? = nil) throws {
            guard let handle = reference_server_open(address) else {
                throw WorkError("libpq cannot connect to the server")
            }
            self.handle = handle
            if let sql { try check(reference_server_prepare(handle, sql), sql) }
        }

        deinit { reference_server_close(handle) }

        /// Runs statements that return no rows.
        public func execute(_ sql: String) throws {
            try check(reference_server_execute(handle, sql), sql)
        }

        /// Runs the statement in a transaction, and returns the first integer of its first row, or 0 if it
        /// returns no rows.
        public func transaction(_ begin: String, _ values: Int64...) throws -> Int64 {
            try checked(reference_server_transaction(handle, begin, Int32(values.count), values))
        }

        /// Runs the statement in a transaction, reads all rows and returns their checksum.
        public func readRows(_ begin: String) throws -> Int64 {
            var checksum: Int64 = 0
            _ = try checked(reference_server_read_rows(handle, begin, &checksum))
            return checksum
        }

        /// Runs the statement up to its first row, calls `body`, and cancels it.
        public func readFirstRow(_ begin: String, _ body: () -> Void) throws {
            _ = try checked(reference_server_first_row(handle, begin))
            body()
            try check(reference_server_end_rows(handle), begin)
        }

        private func checked(_ value: Int64) throws -> Int64 {
            guard value >= 0 else { throw WorkError("libpq cannot run the prepared statement") }
            return value
        }

        private func check(_ code: Int32, _ sql: String) throws {
            guard code == 0 else { throw WorkError("libpq cannot run \(sql)") }
        }
    }
#endif
