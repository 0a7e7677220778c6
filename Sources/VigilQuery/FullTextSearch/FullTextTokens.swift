/// Returns the tokens of a text like the tokenizers `simple` of FTS3 and `ascii` of FTS5: letters and digits,
/// and all characters outside of ASCII. ASCII letters are in lower case, so no token is an operator.
func fullTextTokens(_ text: String) -> [String] {
    text.utf8.split { !$0.isTokenByte }.map { token in
        String(decoding: token.map(\.lowercased), as: UTF8.self)
    }
}

extension UInt8 {
    fileprivate var isTokenByte: Bool {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"), 0x80...:
            true
        default: false
        }
    }

    fileprivate var lowercased: UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) ? self | 0x20 : self
    }
}
