import Dispatch
import Synchronization
import Vigil

/// The browsers that receive events, and the figures about them.
final class Audience: Sendable {
    /// The figures that the page shows.
    struct Status: Codable, Equatable, Sendable {
        /// The number of browsers that receive events.
        var browsers: Int
        /// The number of observations of the database.
        var observations: Int
        /// The number of fetches by observations since the server started.
        var fetches: Int
        /// The number of boards that were passed to browsers since the server started.
        var updates: Int
    }

    private struct State {
        var mailboxes: [Int: Mailbox] = [:]
        var lastNumber = 0
        var fetches = 0
        var updates = 0
        var isStatusScheduled = false
    }

    private let database: DatabasePool
    private let queue: DispatchQueue
    private let state = Mutex(State())

    /// - Parameter queue: The queue on which boards are passed to the mailboxes.
    init(database: DatabasePool, queue: DispatchQueue) {
        self.database = database
        self.queue = queue
    }

    var status: Status {
        let observations = database.observations.count
        return state.withLock { state in
            Status(
                browsers: state.mailboxes.count, observations: observations, fetches: state.fetches,
                updates: state.updates)
        }
    }

    /// Adds a browser, and returns a number that removes it.
    func add(_ mailbox: Mailbox) -> Int {
        defer { scheduleStatus() }
        return state.withLock { state in
            state.lastNumber += 1
            state.mailboxes[state.lastNumber] = mailbox
            return state.lastNumber
        }
    }

    func remove(_ number: Int) {
        state.withLock { $0.mailboxes[number] = nil }
        scheduleStatus()
    }

    func willFetch() {
        state.withLock { $0.fetches += 1 }
        scheduleStatus()
    }

    func didUpdate() {
        state.withLock { $0.updates += 1 }
        scheduleStatus()
    }

    /// Requests a comment for all browsers that receive no other event.
    func keepAlive() {
        for mailbox in mailboxes { mailbox.keepAlive() }
    }

    private var mailboxes: [Mailbox] {
        state.withLock { Array($0.mailboxes.values) }
    }

    /// Sends the status after the callbacks already in the queue, for example of all browsers for one value.
    /// A change then causes at most two statuses, and not one per browser.
    private func scheduleStatus() {
        let isFirst = state.withLock { state in
            defer { state.isStatusScheduled = true }
            return !state.isStatusScheduled
        }
        guard isFirst else { return }
        queue.async { [self] in
            state.withLock { $0.isStatusScheduled = false }
            let event = ServerSentEvent.text(name: "status", data: Page.status(status).text)
            for mailbox in mailboxes { mailbox.put(status: event) }
        }
    }
}
