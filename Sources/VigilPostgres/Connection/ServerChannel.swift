import CVigilPostgres
import VigilStorage

/// One session of a server: sends commands and waits for the answers, with libpq's asynchronous functions.
///
/// A wait ends when the answer has arrived, or when libpq finds that the connection is lost. It also ends
/// after ``answerTimeout``, and when the server does not answer a cancelled command. The session is then
/// over, because the answer could still arrive.
final class ServerChannel {
    /// Why a session is over although libpq does not know it.
    enum Failure: Equatable {
        /// The server did not answer in time.
        case noAnswer
        /// The command was interrupted, and the server did not answer the interrupt either.
        case interrupted
        /// The server sent what no command of the driver asks for, or a request to cancel a command may still
        /// arrive.
        case outOfStep
    }

    let api: UnsafePointer<vigil_postgres_api>
    let handle: OpaquePointer
    private let canceller: PostgresInterrupter
    /// The longest time to wait for an answer; `nil` for no limit.
    var answerTimeout: Duration?
    private(set) var failure: Failure?
    /// A command to begin a transaction, sent together with the next command.
    var pendingBegin: String?
    /// Whether several commands were sent together, and their answers were not all received.
    private var isPipelined = false
    /// Whether a part of the last command may not have been sent.
    private var isUnsent = false
    /// Whether the server sends a stream of messages.
    private var isStreaming = false
    /// The number of waits for an answer.
    private(set) var roundTripCount = 0

    /// The longest time in milliseconds before a wait checks its limits.
    private static let tick: Int32 = 100

    /// - Parameter handle: a connection of libpq, closed by the channel at its end.
    init(_ handle: OpaquePointer, api: UnsafePointer<vigil_postgres_api>, canceller: PostgresInterrupter) {
        self.handle = handle
        self.api = api
        self.canceller = canceller
        _ = api.pointee.setnonblocking(handle, 1)
        _ = api.pointee.setNoticeProcessor(handle, { _, _ in }, nil)
    }

    deinit { api.pointee.finish(handle) }

    /// Whether libpq, and what the server has answered so far, allow further commands.
    var isConnected: Bool { failure == nil && api.pointee.status(handle) == PostgresConnectionStatus.ok }

    /// The state of the transaction, as the server reports it. Only valid while no command runs.
    var transactionStatus: UInt32 { api.pointee.transactionStatus(handle) }

    /// The value of a setting reported by the server whenever it changes, such as `DateStyle`.
    func setting(_ name: String) -> String? {
        api.pointee.parameterStatus(handle, name).map { String(cString: $0) }
    }

    var message: String { api.pointee.errorMessage(handle).map { String(cString: $0) } ?? "" }

    // MARK: - Commands

    /// Sends SQL, and returns the answers to its statements: all of them, up to the first error.
    ///
    /// - Parameter timeout: the longest time to wait for a command that never waits for a lock.
    func run(_ sql: String, timeout: Duration? = nil) -> [PostgresResult] {
        let text = pendingBegin.map { "\($0); \(sql)" } ?? sql
        pendingBegin = nil
        return run(timeout: timeout) { api.pointee.sendQuery($0, text) }
    }

    /// Sends a command, and returns its answers: none if the connection is lost and libpq gives no reason.
    func run(timeout: Duration? = nil, _ send: (OpaquePointer) -> Int32) -> [PostgresResult] {
        begin()
        defer { end() }
        if let error = start(send) { return [error].compactMap { $0 } }
        return receive(timeout: timeout)
    }

    /// Rolls the transaction back. This cannot be interrupted. If it takes too long, the session is over: the
    /// server then rolls back too.
    func rollBack(timeout: Duration) -> [PostgresResult] {
        guard api.pointee.sendQuery(handle, "ROLLBACK") == 1 else { return [] }
        return receive(timeout: timeout)
    }

    private func receive(timeout: Duration?) -> [PostgresResult] {
        willWait()
        let usual = answerTimeout
        if let timeout { answerTimeout = min(usual ?? timeout, timeout) }
        defer { answerTimeout = usual }
        var results: [PostgresResult] = []
        while let result = nextResult() { results.append(result) }
        return results
    }

    /// Sends SQL without waiting for the answer. ``finish(timeout:)`` must receive it before the next
    /// command. Returns whether the SQL was sent.
    func send(_ sql: String) -> Bool {
        guard api.pointee.sendQuery(handle, sql) == 1 else { return false }
        isUnsent = api.pointee.flush(handle) == 1
        return true
    }

    /// Sends a command of the replication protocol that begins a stream. Returns the error if it fails.
    ///
    /// The channel is then used with ``receiveMessage(_:)`` and ``sendMessage(_:)`` until its end.
    func beginStream(_ sql: String) -> PostgresResult? {
        begin()
        defer { end() }
        guard api.pointee.sendQuery(handle, sql) == 1 else { return nil }
        willWait()
        isStreaming = true
        return nextResult()
    }

    /// Sends a query. ``nextResult()`` then returns its rows one by one as they arrive; call ``end()``
    /// afterwards. Returns the first answer; `nil` if the connection is lost and libpq gives no reason.
    func beginRows(_ send: (OpaquePointer) -> Int32) -> PostgresResult? {
        begin()
        if let error = start(send) { return error }
        willWait()
        _ = api.pointee.setSingleRowMode(handle)
        return nextResult()
    }

    /// Sends a command, together with ``pendingBegin``.
    ///
    /// - Returns: `nil` if the answer to the command is the next one. Otherwise the error, which is `nil` if
    ///   the connection is lost and libpq gives no reason.
    private func start(_ send: (OpaquePointer) -> Int32) -> PostgresResult?? {
        guard let begin = pendingBegin else { return send(handle) == 1 ? nil : .some(nil) }
        pendingBegin = nil
        let api = api.pointee
        isPipelined = api.enterPipelineMode(handle) == 1
        let isSent =
            isPipelined && api.sendQueryParams(handle, begin, 0, nil, nil, nil, nil, 0) == 1
            && send(handle) == 1 && api.pipelineSync(handle) == 1
        guard isSent else {
            failure = .outOfStep
            return .some(nil)
        }
        isUnsent = true
        let answer = nextResult()
        while nextResult() != nil {}
        return answer?.isError == false ? nil : .some(answer)
    }

    /// Receives the answer to what ``send(_:)`` has sent.
    func finish(timeout: Duration) {
        begin()
        defer { end() }
        _ = receive(timeout: timeout)
    }

    /// Prepares a statement, with one wait. Returns its description, or an error; `nil` if the connection is
    /// lost and libpq gives no reason.
    func prepare(_ name: String, _ sql: String) -> PostgresResult? {
        begin()
        defer { end() }
        let api = api.pointee
        isPipelined = api.enterPipelineMode(handle) == 1
        let begin = pendingBegin
        pendingBegin = nil
        let isSent =
            isPipelined
            && (begin.map { api.sendQueryParams(handle, $0, 0, nil, nil, nil, nil, 0) } ?? 1) == 1
            && api.sendPrepare(handle, name, sql, 0, nil) == 1
            && api.sendDescribePrepared(handle, name) == 1 && api.pipelineSync(handle) == 1
        guard isSent else {
            failure = .outOfStep
            return nil
        }
        willWait()
        let results = receivePipeline()
        return results.first { $0.isError } ?? results.last
    }

    /// Receives the rest of the answers to commands sent together.
    private func receivePipeline() -> [PostgresResult] {
        isPipelined = false
        var results: [PostgresResult] = []
        // `nil` separates the answers to two commands.
        while isConnected {
            guard let result = nextResult() else { continue }
            if result.status == PostgresResultStatus.pipelineSync { break }
            results.append(result)
        }
        if isConnected { _ = api.pointee.exitPipelineMode(handle) }
        return results
    }

    private func begin() {
        canceller.commandWillBegin()
    }

    private func willWait() {
        isUnsent = true
        roundTripCount += 1
    }

    /// Ends a command with a complete answer, or with the end of the session.
    func end() {
        if isPipelined { _ = receivePipeline() }
        if !canceller.commandDidEnd(isLost: !isConnected) { failure = .outOfStep }
    }

    // MARK: - Streams

    enum Message {
        /// Nothing was sent yet.
        case none
        case received
        /// The stream has ended, or the connection is lost.
        case ended
    }

    /// Calls `body` with the next received message of the stream. Does not wait.
    func receiveMessage(_ body: (UnsafeRawBufferPointer) -> Void) -> Message {
        var buffer: UnsafeMutablePointer<CChar>?
        var count = api.pointee.getCopyData(handle, &buffer, 1)
        if count == 0, api.pointee.consumeInput(handle) == 1 {
            count = api.pointee.getCopyData(handle, &buffer, 1)
        }
        guard count > 0, let buffer else { return count == 0 ? .none : .ended }
        defer { api.pointee.freemem(buffer) }
        body(UnsafeRawBufferPointer(start: buffer, count: Int(count)))
        return .received
    }

    /// Sends a message to the server, now or in ``waitForMessages()``.
    func sendMessage(_ bytes: [UInt8]) {
        _ = bytes.withUnsafeBytes { bytes in
            api.pointee.putCopyData(
                handle, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(bytes.count))
        }
        isUnsent = api.pointee.flush(handle) == 1
    }

    /// Waits until something has arrived, or for a tick. Returns `false` if the connection is lost.
    func waitForMessages() -> Bool {
        let isReady = vigil_postgres_wait(api.pointee.socket(handle), isUnsent ? 1 : 0, Self.tick) != 0
        if isUnsent { isUnsent = api.pointee.flush(handle) == 1 }
        return !isReady || api.pointee.consumeInput(handle) == 1
    }

    /// Waits for the next answer; returns `nil` at the end of the command, or if the session is over.
    func nextResult() -> PostgresResult? {
        guard waitForAnswer(), let result = api.pointee.getResult(handle) else { return nil }
        let answer = PostgresResult(result, api: api)
        switch answer.status {
        // libpq would return it again and again.
        case PostgresResultStatus.copyBoth where isStreaming: break
        case PostgresResultStatus.copyIn, PostgresResultStatus.copyOut, PostgresResultStatus.copyBoth:
            failure = .outOfStep
        default: break
        }
        return answer
    }

    /// - Returns: whether libpq has an answer, or knows that there will be none.
    private func waitForAnswer() -> Bool {
        guard failure == nil else { return false }
        let api = api.pointee
        var start: ContinuousClock.Instant?
        var mayHaveInput = true
        while true {
            if isUnsent { isUnsent = api.flush(handle) == 1 }
            if !isUnsent, api.isBusy(handle) == 0 { return true }
            // libpq may have read only a part of a TLS record. The rest does not make the socket readable.
            if mayHaveInput {
                if api.consumeInput(handle) == 0 { return true }
                mayHaveInput = false
                continue
            }
            if start == nil, answerTimeout != nil { start = .now }
            let isReady = vigil_postgres_wait(api.socket(handle), isUnsent ? 1 : 0, Self.tick) != 0
            if isReady, api.consumeInput(handle) == 0 { return true }
            mayHaveInput = true
            guard !isReady else { continue }
            if canceller.isOverdue {
                failure = .interrupted
            } else if let start, let answerTimeout, start.duration(to: .now) > answerTimeout {
                failure = .noAnswer
            }
            guard failure == nil else { return false }
        }
    }
}
