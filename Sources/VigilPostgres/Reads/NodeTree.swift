/// The text of an analysed query, as PostgreSQL stores it in its catalog: `{TYPE :field value …}`, with
/// lists in parentheses.
///
/// The text is read as a sequence of fields without recursion, so the depth of a query is not limited. Words
/// are separated by white space and brackets; a backslash takes the meaning of the following character.
struct NodeTree {
    /// A word in a field of a node, outside of a nested node.
    struct Word: Equatable {
        /// The type of the node, such as `FUNCEXPR`.
        var node: String
        /// The name of the field, without the colon; empty before the first field of a node.
        var field: String
        /// The word, with its backslashes.
        var text: String
    }

    /// The text cannot be read.
    struct Malformed: Error, Equatable {}

    private let bytes: [UInt8]
    private var position = 0
    /// The open nodes and lists. A list has no node.
    private var open: [Bracket] = []

    private struct Bracket {
        var node: String
        var field = ""
        /// The position of the innermost node in ``open``: of this one, or of the node around a list.
        var owner: Int?
    }

    init(_ text: String) { bytes = Array(text.utf8) }

    /// A part of the text.
    enum Token: Equatable {
        /// The beginning of a node: its type.
        case node(String)
        case field(String)
        case list
        case word(Word)
        /// The end of the innermost node or list.
        case end
    }

    /// Returns the next word; `nil` at the end of the text.
    mutating func next() throws(Malformed) -> Word? {
        while let token = try nextToken() {
            switch token {
            case .node(let type): return Word(node: type, field: "", text: type)
            case .word(let word): return word
            case .field, .list, .end: continue
            }
        }
        return nil
    }

    /// Returns the next token; `nil` at the end of the text.
    mutating func nextToken() throws(Malformed) -> Token? {
        guard let byte = skipWhiteSpace() else {
            guard open.isEmpty else { throw Malformed() }
            return nil
        }
        switch byte {
        case UInt8(ascii: "{"):
            position += 1
            guard skipWhiteSpace() != nil, let name = word(), !name.hasPrefix(":") else {
                throw Malformed()
            }
            open.append(Bracket(node: name, owner: open.count))
            return .node(name)
        case UInt8(ascii: "("):
            open.append(Bracket(node: "", owner: open.last?.owner))
            position += 1
            return .list
        case UInt8(ascii: "}"), UInt8(ascii: ")"):
            guard let last = open.popLast(), last.node.isEmpty == (byte == UInt8(ascii: ")")) else {
                throw Malformed()
            }
            position += 1
            return .end
        default:
            guard let text = word() else { throw Malformed() }
            guard let node = open.last?.owner else {
                // A list without nodes, or an empty tree.
                return .word(Word(node: "", field: "", text: text))
            }
            guard text.hasPrefix(":"), node == open.count - 1 else {
                return .word(Word(node: open[node].node, field: open[node].field, text: text))
            }
            open[node].field = String(text.dropFirst())
            return .field(open[node].field)
        }
    }

    private mutating func skipWhiteSpace() -> UInt8? {
        while position < bytes.count, Self.isWhiteSpace(bytes[position]) { position += 1 }
        return position < bytes.count ? bytes[position] : nil
    }

    /// Reads a word, up to a bracket or white space; `nil` without one, or for a backslash at the end.
    private mutating func word() -> String? {
        let start = position
        while position < bytes.count {
            let byte = bytes[position]
            if Self.isWhiteSpace(byte) || Self.brackets.contains(byte) { break }
            if byte == UInt8(ascii: "\\") {
                guard position + 1 < bytes.count else { return nil }
                position += 1
            }
            position += 1
        }
        return position > start ? String(decoding: bytes[start..<position], as: UTF8.self) : nil
    }

    private static let brackets: [UInt8] = Array("(){}".utf8)

    private static func isWhiteSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
}
