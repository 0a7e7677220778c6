import Vigil

/// Runs a test with a configuration for each backend.
func withEachBackend(
    _ configuration: Configuration = Configuration(), _ body: (Configuration) throws -> Void
) throws {
    for (_, backend) in testedBackends {
        var configuration = configuration
        configuration.backend = backend
        try body(configuration)
    }
}

/// Runs a test on an in-memory queue, with each backend.
func onEachQueue(
    _ configuration: Configuration = Configuration(), _ body: (DatabaseQueue) throws -> Void
) throws {
    try withEachBackend(configuration) { try body(DatabaseQueue(configuration: $0)) }
}

/// Runs a test on an in-memory queue, a file queue and a pool, with each backend. The second backend, whose
/// databases in memory are not encrypted, runs only on files. A build with one library runs all of them.
func onEachWriter(
    _ configuration: Configuration = Configuration(), _ body: (any DatabaseWriter) throws -> Void
) throws {
    var isFirst = true
    try withEachBackend(configuration) { configuration in
        let directory = try TemporaryDirectory()
        if isFirst { try body(DatabaseQueue(configuration: configuration)) }
        isFirst = false
        try body(DatabaseQueue(path: directory.file("queue.sqlite"), configuration: configuration))
        try body(DatabasePool(path: directory.file("pool.sqlite"), configuration: configuration))
    }
}
