import CVigilPostgres
import Dispatch
import Synchronization
import VigilStorage

/// Receives the commits of a publication, in a session of the replication protocol.
///
/// Its slot is temporary: the server drops it at the end of the session, also after a crash of the program,
/// and keeps no log for it. What was received is acknowledged without waiting for its use, because it is
/// never requested again.
final class ReplicationStream: Sendable {
    struct Source: Sendable {
        var address: String
        var publication: String
        /// The run of the server, see ``PostgresConnection/serverIdentitySQL``.
        var server: String
        /// How long the server may leave a question without an answer.
        var answerTimeout = Duration.seconds(5)
    }

    /// An event of a stream, on its own thread.
    enum Event {
        /// From now on, the commits of all transactions begun later are received.
        case opened
        /// Commits, perhaps none, and the position in the log up to which everything was received.
        case received([StreamedCommit], position: UInt64)
        /// The last event, unless the stream was cancelled.
        case ended(reason: String)
    }

    /// The reason for the end of a stream.
    private struct End: Error {
        var reason: String
    }

    /// How long the creation of a slot waits for transactions that were begun earlier. It keeps the log of
    /// the server meanwhile, so the feed tries again later.
    private static let lockTimeout = Duration.seconds(10)
    /// The largest number of messages between two events.
    private static let batchSize = 4_096

    private let canceller = PostgresInterrupter()
    private let cancellation = Atomic(false)
    private var isCancelled: Bool { cancellation.load(ordering: .acquiring) }

    /// Opens a stream, on a thread of its own.
    init(_ source: Source, onEvent: @escaping @Sendable (Event) -> Void) {
        DispatchQueue(label: "vigil.postgres.stream").async { [self] in
            do throws(End) {
                try run(source, onEvent)
            } catch {
                if !isCancelled { onEvent(.ended(reason: error.reason)) }
            }
        }
    }

    /// Ends the stream, from any thread. No further event begins.
    func cancel() {
        cancellation.store(true, ordering: .releasing)
        canceller.interrupt()
    }

    private func run(_ source: Source, _ onEvent: (Event) -> Void) throws(End) {
        guard let api = try? PostgresLibrary.linked().api,
            let handle = PostgresSession.connect(source.address, replicates: true, api: api)
        else { throw End(reason: "out of memory") }
        let channel = ServerChannel(handle, api: api, canceller: canceller)
        defer { canceller.setTarget(nil, api) }
        guard channel.isConnected else { throw End(reason: reason(channel.message, source)) }
        canceller.setTarget(handle, api)
        channel.answerTimeout = source.answerTimeout
        try open(channel, source)
        if isCancelled { return }
        onEvent(.opened)
        try receive(channel, onEvent)
    }

    /// Returns a message of the server without passwords.
    private func reason(_ message: String?, _ source: Source) -> String {
        let text = ConnectionSecrets(in: source.address).removed(from: message?.trimmedLines ?? "")
        return "the stream of changes cannot be opened: \(text)"
    }

    // MARK: - Opening

    private func open(_ channel: ServerChannel, _ source: Source) throws(End) {
        let timeout = Self.lockTimeout.components.seconds
        try run("\(PostgresSession.defaultSettings) SET lock_timeout = '\(timeout)s'", channel, source)
        // A proxy may have sent another number of the process.
        let identity = try run(
            "\(PostgresConnection.serverIdentitySQL), pg_backend_pid()", channel, source)
        guard identity?.text(row: 0, column: 0) == source.server,
            let process = identity?.text(row: 0, column: 1)
        else {
            throw End(reason: "the stream of changes leads to another server")
        }
        channel.answerTimeout = Self.lockTimeout + source.answerTimeout
        let slot = "vigil_\(process)"
        try run(
            "CREATE_REPLICATION_SLOT \(slot) TEMPORARY LOGICAL pgoutput NOEXPORT_SNAPSHOT", channel, source)
        let publication = source.publication.quotedSQLName
        let answer = channel.beginStream(
            "START_REPLICATION SLOT \(slot) LOGICAL 0/0 (proto_version '1', publication_names "
                + publication.quotedSQLText + ")")
        guard answer?.status == PostgresResultStatus.copyBoth else {
            throw End(reason: reason(answer?.message ?? channel.message, source))
        }
    }

    @discardableResult
    private func run(_ sql: String, _ channel: ServerChannel, _ source: Source) throws(End) -> PostgresResult?
    {
        guard !isCancelled else { throw End(reason: "") }
        let answer = channel.run(sql).last
        guard channel.isConnected, answer?.isError == false else {
            throw End(reason: reason(answer?.message ?? channel.message, source))
        }
        return answer
    }

    // MARK: - Receiving

    /// The messages received since the last event.
    private struct Batch {
        var commits: [StreamedCommit] = []
        var position: UInt64 = 0
        var requestsReply = false
        var isMalformed = false
    }

    private func receive(_ channel: ServerChannel, _ onEvent: (Event) -> Void) throws(End) {
        var assembler = CommitAssembler()
        var liveness = StreamLiveness(at: .now)
        var acknowledgement = StreamAcknowledgement()
        while !isCancelled {
            var batch = Batch()
            var message = ServerChannel.Message.received
            var count = 0
            while message == .received, count < Self.batchSize, !batch.isMalformed {
                message = channel.receiveMessage { Self.add($0, to: &batch, &assembler) }
                count += 1
            }
            guard !batch.isMalformed else {
                throw End(reason: "the stream of changes has an unknown message")
            }
            if count > 1 { liveness.didReceive(at: .now) }
            let isNew = acknowledgement.didReceive(upTo: batch.position)
            // Nothing has arrived for a tick of the channel if the first message is not complete.
            if acknowledgement.isDue(isRequested: batch.requestsReply, isQuiet: count == 1) {
                channel.sendMessage(Self.status(acknowledgement.received, requestsReply: false))
            }
            guard !isCancelled else { return }
            if isNew { onEvent(.received(batch.commits, position: acknowledgement.received)) }
            guard message != .ended else {
                throw End(reason: "the stream of changes was lost")
            }
            switch liveness.check(at: .now) {
            case .request: channel.sendMessage(Self.status(acknowledgement.received, requestsReply: true))
            case .lose: throw End(reason: "the server does not answer")
            case nil: break
            }
            guard message == .received || channel.waitForMessages() else {
                throw End(reason: "the stream of changes was lost")
            }
        }
    }

    private static func add(
        _ bytes: UnsafeRawBufferPointer, to batch: inout Batch, _ assembler: inout CommitAssembler
    ) {
        switch ReplicationFrame(bytes) {
        case .keepalive(let position, let requestsReply):
            batch.position = max(batch.position, position)
            batch.requestsReply = batch.requestsReply || requestsReply
        case .output(let bytes):
            switch PgOutput(bytes).map({ assembler.receive($0, bytes) }) {
            case .incomplete: break
            case .commit(let commit):
                batch.position = max(batch.position, commit.end)
                if !commit.isEmpty { batch.commits.append(commit) }
            case .malformed, nil: batch.isMalformed = true
            }
        case nil: batch.isMalformed = true
        }
    }

    /// Returns the message that everything up to a position was received, and need not be kept.
    private static func status(_ position: UInt64, requestsReply: Bool) -> [UInt8] {
        var bytes = [UInt8(ascii: "r")]
        // Written, flushed, applied, and the time, of no use to the server.
        for number in [position, position, position, 0] {
            withUnsafeBytes(of: number.bigEndian) { bytes += $0 }
        }
        return bytes + [requestsReply ? 1 : 0]
    }
}
