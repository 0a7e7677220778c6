/// Decides when the server learns up to which position of its log everything was received.
///
/// Each acknowledgement wakes the session of the server that sends the stream. Right after a commit, it
/// takes processor time from the client that has committed.
struct StreamAcknowledgement {
    /// How much log, in bytes, the server may keep because it does not know that it was received.
    static let distance: UInt64 = 1 << 20

    /// Everything up to here was received.
    private(set) var received: UInt64 = 0
    private var acknowledged: UInt64 = 0

    /// Handles received messages.
    ///
    /// - Parameter position: where they end.
    /// - Returns: whether there was anything new.
    mutating func didReceive(upTo position: UInt64) -> Bool {
        defer { received = max(received, position) }
        return position > received
    }

    /// Returns whether an acknowledgement is due, and assumes that it is sent then.
    ///
    /// - Parameters:
    ///   - isRequested: whether the server waits for one, for example because it shuts down.
    ///   - isQuiet: whether nothing has arrived for a while.
    mutating func isDue(isRequested: Bool, isQuiet: Bool) -> Bool {
        let distance = received - acknowledged
        guard isRequested || distance >= Self.distance || isQuiet && distance > 0 else { return false }
        acknowledged = received
        return true
    }
}
