import BenchmarkReport
import BenchmarkWork
import Dispatch

#if GRDB
    import GRDB
#else
    import Vigil
#endif

extension ObservedWorkload {
    /// Measures the memory of clients that each receive the events of a query of their own, once all have the
    /// first one and wait for the next.
    func streamMemory(_ request: RoundRequest) throws -> RoundResult {
        #if GRDB
            throw Absence("it has no streams for clients")
        #else
            let folder = try TemporaryFolder()
            let dbPool = try filePool(in: folder)
            let clients = StreamClients(dbPool)
            // The first client allocates what all of them share.
            clients.start(1...1)
            try clients.activity.wait(forNotifications: 1)
            let allocated = ProcessMemory.allocatedBytes
            clients.start(2...Int64(request.n + 1))
            try clients.activity.wait(forNotifications: request.n + 1)
            clients.activity.waitUntilQuiet()
            let bytes = ProcessMemory.allocatedBytes - allocated
            clients.end()
            try dbPool.close()
            return RoundResult(value: Double(bytes) / Double(request.n), operations: request.n)
        #endif
    }
}

#if !GRDB
    /// Clients that read the events of their streams.
    private final class StreamClients {
        let activity = Activity()
        private let dbPool: DatabasePool
        private var tasks: [Task<Void, Never>] = []

        init(_ dbPool: DatabasePool) { self.dbPool = dbPool }

        func start(_ ids: ClosedRange<Int64>) {
            for id in ids {
                let stream = ValueObservation.tracking { db in
                    try Int.fetchOne(db, sql: Schema.selectPlayer, arguments: [id])
                }
                .eventStream(in: dbPool)
                let client = stream.client(after: nil)
                let activity = activity
                tasks.append(
                    Task {
                        var events = client.makeAsyncIterator()
                        while let event = try? await events.next() {
                            if event.kind != .comment { activity.notifications.increment() }
                        }
                    })
            }
        }

        func end() {
            for task in tasks { task.cancel() }
            let ended = DispatchSemaphore(value: 0)
            let tasks = tasks
            Task {
                for task in tasks { await task.value }
                ended.signal()
            }
            ended.wait()
        }
    }
#endif
