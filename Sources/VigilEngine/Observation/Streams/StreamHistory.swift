import Synchronization

/// The versions of a stream, with the patches that lead to the last one.
///
/// A value without threads. Versions count from 1, and belong to an epoch: versions of other streams, and
/// of earlier processes, are unknown.
struct StreamHistory {
    let epoch: String
    /// The maximum size of the patches, in bytes.
    let limit: Int
    private(set) var version = 0
    private(set) var patches: [StreamEvent] = []
    private var size = 0
    /// The size of the last value that was encoded as a whole, in bytes; `nil` before.
    private var wholeSize: Int?

    init(epoch: String, limit: Int) {
        self.epoch = epoch
        self.limit = limit
    }

    /// The maximum number of patches. A state copies the array.
    private static let countLimit = 256
    /// The size of a value up to which patches may be larger, in bytes.
    private static let smallSize = 4096

    /// The id of the next version.
    var nextID: String { Self.id(epoch, version + 1) }

    fileprivate static func id(_ epoch: String, _ version: Int) -> String { "\(epoch)-\(version)" }

    /// Adds a version.
    ///
    /// - Parameters:
    ///   - patch: the event that leads to it from the version before; `nil` if only the whole value does.
    ///   - wholeSize: the size of the whole value before, if it is known. Larger patches are of no use.
    mutating func append(_ patch: StreamEvent?, wholeSize: Int?) {
        version += 1
        self.wholeSize = wholeSize ?? self.wholeSize
        guard let patch else {
            patches = []
            size = 0
            return
        }
        patches.append(patch)
        size += patch.serverSentEvent.count
        let limit = min(limit, self.wholeSize.map { max($0, Self.smallSize) } ?? limit)
        var surplus = 0
        while size > limit || patches.count - surplus > Self.countLimit, surplus < patches.count {
            size -= patches[surplus].serverSentEvent.count
            surplus += 1
        }
        patches.removeFirst(surplus)
    }
}

/// A version of a stream: the patches that lead to it, and its whole value.
package final class StreamState: Sendable {
    private enum Whole {
        case missing(@Sendable (_ id: String) throws -> StreamEvent)
        case encoded(StreamEvent)
    }

    let epoch: String
    let version: Int
    /// The last patch leads to this version.
    let patches: [StreamEvent]
    private let whole: Mutex<Whole>

    /// - Parameter encode: encodes the whole value when a client needs it, until it succeeds.
    init(_ history: StreamHistory, encode: @escaping @Sendable (_ id: String) throws -> StreamEvent) {
        epoch = history.epoch
        version = history.version
        patches = history.patches
        whole = Mutex(.missing(encode))
    }

    /// The size of the whole value in bytes, if a client has received it.
    var wholeSize: Int? {
        // Does not wait while it is encoded.
        whole.withLockIfAvailable { whole -> Int? in
            guard case .encoded(let event) = whole else { return nil }
            return event.serverSentEvent.count
        } ?? nil
    }

    /// Returns the whole value as an event.
    ///
    /// - Throws: The error of the encoder.
    func wholeEvent() throws -> StreamEvent {
        // Other clients wait for the same event.
        try whole.withLock { whole in
            switch whole {
            case .encoded(let event): return event
            case .missing(let encode):
                let event = try encode(StreamHistory.id(epoch, version))
                whole = .encoded(event)
                return event
            }
        }
    }
}

/// The place of a client in a stream.
struct StreamCursor {
    private var position: (epoch: Substring, version: Int)?

    /// - Parameter id: the last event that the client received, as it says itself. Unknown and malformed ones
    ///   count as none.
    init(after id: String?) {
        // An id has 13 characters for the epoch, and at most 19 digits.
        guard let id, id.utf8.count <= 40, let dash = id.lastIndex(of: "-"),
            let version = Int(id[id.index(after: dash)...]), version > 0
        else { return }
        position = (id[..<dash], version)
    }

    /// Whether the client has received a state.
    func isAt(_ state: StreamState) -> Bool {
        position.map { $0.epoch == state.epoch && $0.version == state.version } ?? false
    }

    /// Returns the next event for the client; `nil` if it has received this state.
    ///
    /// - Throws: The error of the encoder.
    mutating func next(in state: StreamState) throws -> StreamEvent? {
        if let position, position.epoch == state.epoch, position.version <= state.version {
            let missing = state.version - position.version
            if missing == 0 { return nil }
            if missing <= state.patches.count {
                self.position?.version += 1
                return state.patches[state.patches.count - missing]
            }
        }
        let event = try state.wholeEvent()
        position = (state.epoch[...], state.version)
        return event
    }
}
