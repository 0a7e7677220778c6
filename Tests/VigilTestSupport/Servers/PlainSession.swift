#if os(Linux)
    import Glibc

    /// A session of another program: libpq without the driver.
    ///
    /// `@unchecked Sendable`: a test runs one query at a time.
    package final class PlainSession: @unchecked Sendable {
        private let library: PlainLibrary
        private let handle: OpaquePointer

        /// Connects to a server.
        ///
        /// - Throws: ``FixtureError`` with the message of libpq.
        package init(_ address: String) throws {
            library = try PlainLibrary()
            guard let handle = library.connect(address) else { throw FixtureError("out of memory") }
            self.handle = handle
            guard library.status(handle) == 0 else { throw failure }
        }

        deinit { library.finish(handle) }

        /// Runs statements, and returns the rows of the last one.
        ///
        /// - Throws: ``FixtureError`` with the message of libpq.
        @discardableResult
        package func query(_ sql: String) throws -> [[String?]] {
            let result = library.exec(handle, sql)
            defer { library.clear(result) }
            guard [1, 2].contains(library.resultStatus(result)) else { throw failure }
            return (0..<library.rowCount(result)).map { row in
                (0..<library.columnCount(result)).map { column in
                    guard library.isNull(result, row, column) == 0 else { return nil }
                    return library.value(result, row, column).map { String(cString: $0) }
                }
            }
        }

        private var failure: FixtureError {
            FixtureError(library.errorMessage(handle).map { String(cString: $0) } ?? "")
        }
    }

    /// The functions of the libpq that the tests are linked with.
    private struct PlainLibrary {
        let connect: @convention(c) (UnsafePointer<CChar>) -> OpaquePointer?
        let status: @convention(c) (OpaquePointer) -> Int32
        let errorMessage: @convention(c) (OpaquePointer) -> UnsafePointer<CChar>?
        let finish: @convention(c) (OpaquePointer) -> Void
        let exec: @convention(c) (OpaquePointer, UnsafePointer<CChar>) -> OpaquePointer?
        let resultStatus: @convention(c) (OpaquePointer?) -> Int32
        let rowCount: @convention(c) (OpaquePointer?) -> Int32
        let columnCount: @convention(c) (OpaquePointer?) -> Int32
        let isNull: @convention(c) (OpaquePointer?, Int32, Int32) -> Int32
        let value: @convention(c) (OpaquePointer?, Int32, Int32) -> UnsafePointer<CChar>?
        let clear: @convention(c) (OpaquePointer?) -> Void

        init() throws {
            connect = try Self.function("PQconnectdb")
            status = try Self.function("PQstatus")
            errorMessage = try Self.function("PQerrorMessage")
            finish = try Self.function("PQfinish")
            exec = try Self.function("PQexec")
            resultStatus = try Self.function("PQresultStatus")
            rowCount = try Self.function("PQntuples")
            columnCount = try Self.function("PQnfields")
            isNull = try Self.function("PQgetisnull")
            value = try Self.function("PQgetvalue")
            clear = try Self.function("PQclear")
        }

        private static func function<Function>(_ name: String) throws -> Function {
            guard let address = dlsym(nil, name) else {
                throw FixtureError("the tests are not linked with libpq: there is no \(name)")
            }
            return unsafeBitCast(address, to: Function.self)
        }
    }
#endif
