/// An event of an ``EventStream``, encoded once for all clients that receive it.
public struct StreamEvent: Sendable, Hashable {
    /// The content of an event.
    public enum Kind: String, Sendable, Hashable {
        /// A whole value, as the encoder returns it.
        case value
        /// All rows of a list: an array, in its order.
        case list
        /// The changes of a list since the event before. See ``EventStream``.
        case patch
        /// A line that keeps idle connections open, without data.
        case comment
    }

    /// The content of the event.
    public let kind: Kind
    /// The version of the value after the event, for ``EventStream/client(after:)``; `nil` for comments.
    public let id: String?
    /// The event in the format of server-sent events, as UTF-8, with the blank line at its end.
    public let serverSentEvent: [UInt8]
    private let dataRange: Range<Int>

    /// The content as JSON on one line, in UTF-8; empty for comments. Use it for WebSockets and others.
    public var data: ArraySlice<UInt8> { serverSentEvent[dataRange] }

    static let comment = StreamEvent(comment: ": keep-alive\n\n")

    private init(comment: String) {
        kind = .comment
        id = nil
        serverSentEvent = Array(comment.utf8)
        dataRange = 0..<0
    }

    /// - Parameter json: a JSON text. Line breaks become spaces: in JSON, they occur only between tokens.
    init(_ kind: Kind, id: String, json: some Sequence<UInt8>) {
        self.kind = kind
        self.id = id
        var text = Array("id: \(id)\nevent: \(kind.rawValue)\ndata: ".utf8)
        let start = text.count
        text.append(contentsOf: json.lazy.map { $0 == 10 || $0 == 13 ? 32 : $0 })
        dataRange = start..<text.count
        text.append(contentsOf: [10, 10])
        serverSentEvent = text
    }
}
