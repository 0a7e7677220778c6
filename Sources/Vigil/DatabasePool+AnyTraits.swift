package import VigilEngine

extension DatabasePool {
    /// Opens a database on a server, for programs that are built with any traits.
    ///
    /// - Returns: `nil` if the build lacks the trait PostgreSQL.
    package static func onServer(_ address: String, configuration: Configuration) throws -> DatabasePool? {
        #if PostgreSQL
            try DatabasePool(server: address, configuration: configuration)
        #else
            nil
        #endif
    }
}
