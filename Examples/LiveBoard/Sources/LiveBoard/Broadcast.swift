import Dispatch
import Synchronization
import Vigil

/// Sends the board to all browsers, from one shared observation.
///
/// The observation starts with the first browser, and ends with the last one. Its values are rendered once,
/// for all browsers.
final class Broadcast: Sendable {
    enum Event: Equatable, Sendable {
        case observationStarted
        case observationEnded
        case observationFailed(String)
    }

    private static let failure = ServerSentEvent.text(
        name: "failure", data: "The server cannot read the database.")

    private let audience: Audience
    private let boards: SharedValueObservation<String>
    private let lists: SharedValueObservation<ObservedList<Run>>
    /// The mailboxes of browsers that show the list of all runs.
    private let listMailboxes = Mutex<[ObjectIdentifier: Mailbox]>([:])

    /// - Parameter onEvent: Called on any thread.
    init(database: DatabasePool, onEvent: @escaping @Sendable (Event) -> Void = { _ in }) {
        let queue = DispatchQueue(label: "LiveBoard.Broadcast")
        let audience = Audience(database: database, queue: queue)
        self.audience = audience
        boards =
            ValueObservation
            .tracking(Board.fetch)
            .handleEvents(
                willStart: { onEvent(.observationStarted) },
                willFetch: { audience.willFetch() },
                didFail: { onEvent(.observationFailed("\($0)")) },
                didCancel: { onEvent(.observationEnded) }
            )
            .removeDuplicates()
            .map { board in ServerSentEvent.text(name: "board", data: Page.board(board).text) }
            .labeled("board")
            .shared(in: database, scheduling: .async(onQueue: queue))
        lists =
            ValueObservation
            .trackingList(Run.order(Column("id").desc))
            .handleEvents(didFail: { onEvent(.observationFailed("\($0)")) })
            .labeled("list")
            .shared(in: database, scheduling: .async(onQueue: queue))
    }

    var status: Audience.Status { audience.status }

    /// Adds a browser for the duration of a closure, which sends the events of the mailbox.
    ///
    /// The mailbox receives the current board, then a board after each change. It is finished when the
    /// observation fails; a browser that is added later starts the observation again.
    func withMailbox(
        isolation: isolated (any Actor)? = #isolation, _ body: (Mailbox) async throws -> Void
    ) async rethrows {
        let mailbox = Mailbox()
        let number = audience.add(mailbox)
        let cancellable = boards.start(
            onError: { _ in mailbox.fail(Self.failure) },
            onChange: { [audience] board in
                mailbox.put(board: board)
                audience.didUpdate()
            })
        defer {
            cancellable.cancel()
            audience.remove(number)
        }
        try await body(mailbox)
    }

    /// Adds a browser that shows all runs for the duration of a closure, which sends the events of the
    /// mailbox.
    ///
    /// The mailbox receives the whole list, then its changes.
    func withListMailbox(
        isolation: isolated (any Actor)? = #isolation, _ body: (Mailbox) async throws -> Void
    ) async rethrows {
        let mailbox = Mailbox()
        listMailboxes.withLock { $0[ObjectIdentifier(mailbox)] = mailbox }
        let cancellable = lists.start(
            onError: { _ in mailbox.fail(Self.failure) }, onChange: { mailbox.put(list: $0) })
        defer {
            cancellable.cancel()
            listMailboxes.withLock { $0[ObjectIdentifier(mailbox)] = nil }
        }
        try await body(mailbox)
    }

    /// Sends a comment to all browsers that receive no other event.
    func keepAlive() {
        audience.keepAlive()
        for mailbox in listMailboxes.withLock({ Array($0.values) }) { mailbox.keepAlive() }
    }
}
