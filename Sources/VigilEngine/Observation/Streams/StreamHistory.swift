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

    init(epoch: String, limit: Int) {
        self.epoch = epoch
        self.limit = limit
    }

    /// The maximum number of patches. A state copies the array.
    private static let countLimit = 256
    /// The size of a value up to which patches may be larger, in bytes.
    private static let smallSize = 4096

    /// The id of the last version.
    var id: String { Self.id(epoch, version) }
    var nextID: String { Self.id(epoch, version + 1) }

    fileprivate static func id(_ epoch: String, _ version: Int) -> String { "\(epoch)-\(version)" }

    /// Adds a version.
    ///
    /// - Parameters:
    ///   - patch: the event that leads to it from the version before; `nil` if only the whole value does.
    ///   - wholeSize: the size of the whole value, if it is known. Larger patches are of no use.
    mutating func append(_ patch: StreamEvent?, wholeSize: Int?) {
        version += 1
        guard let patch else {
            patches = []
            size = 0
            return
        }
        patches.append(patch)
        size += patch.serverSentEvent.count
        let limit = min(limit, wholeSize.map { max($0, Self.smallSize) } ?? limit)
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
        case encoded(Result<StreamEvent, any Error>)
    }

    let epoch: String
    let version: Int
    /// The last patch leads to this version.
    let patches: [StreamEvent]
    private let whole: Mutex<Whole>

    /// - Parameter encode: encodes the whole value, at most once, when a client needs it.
    init(_ history: StreamHistory, encode: @escaping @Sendable (_ id: String) throws -> StreamEvent) {
        epoch = history.epoch
        version = history.version
        patches = history.patches
        whole = Mutex(.missing(encode))
    }

    /// The size of the whole value in bytes, if a client has needed it.
    var wholeSize: Int? {
        whole.withLock { whole in
            guard case .encoded(.success(let event)) = whole else { return nil }
            return event.serverSentEvent.count
        }
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
                let event = Result { try encode(StreamHistory.id(epoch, version)) }
                whole = .encoded(event)
                return event
            }
        }.get()
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
