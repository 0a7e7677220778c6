#if PostgreSQL
    import Foundation
    import Synchronization
    import VigilStorage
    import XCTest

    @testable import VigilPostgres

    /// A test of feeds with a stream, in a database of its own: other tests must not find a publication.
    class FeedTestCase: PostgresTestCase {
        private(set) var database = ""
        private let databaseFeeds = Mutex<[PostgresCommitFeed]>([])

        override func setUpWithError() throws {
            try super.setUpWithError()
            database = schemaName
            try open().execute("CREATE DATABASE \(database)")
        }

        override func tearDownWithError() throws {
            if !database.isEmpty {
                for feed in databaseFeeds.withLock({ $0 }) { feed.cancel() }
                let connection = try open()
                // The streams end soon after they were cancelled, and leave nothing.
                let slots = "SELECT 1 FROM pg_replication_slots WHERE database = '\(database)'"
                while try !connection.execute(slots).isEmpty {}
                try connection.execute("DROP DATABASE \(database) WITH (FORCE)")
            }
            try super.tearDownWithError()
        }

        var databaseAddress: String {
            get throws { try Self.address("VIGIL_POSTGRES") + "&dbname=\(database)" }
        }

        func connect() throws -> PostgresConnection { try PostgresConnection(databaseAddress) }

        func start(_ receiver: FeedReceiver, _ parameters: String = "") throws -> PostgresCommitFeed {
            let feed = try PostgresCommitFeed.start(databaseAddress + parameters, to: receiver)
            databaseFeeds.withLock { $0.append(feed) }
            return feed
        }

        /// Starts a feed, and waits until it is precise.
        func startPrecise(_ receiver: FeedReceiver, _ parameters: String = "") throws
            -> PostgresCommitFeed
        {
            let feed = try start(receiver, parameters)
            receiver.waitForState(.precise)
            receiver.forget()
            return feed
        }
    }
#endif
