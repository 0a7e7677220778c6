import VigilStorage

extension StorageError {
    /// The error, with a placeholder for each bound value quoted in the message. An error about a value may
    /// quote a part of it, such as an element of an array.
    func withoutValues(_ values: [StorageValue]) -> StorageError {
        var error = self
        let isAboutValue = sqlState.map { SQLState($0).errorClass == "22" || $0 == "42601" } ?? false
        let length = error.message.utf8.count
        for text in values.flatMap({ $0.quotedTexts(upTo: length) }) where !text.isEmpty {
            error.message = error.message.replacing(bytes: Array("\"\(text)\"".utf8), with: "\"…\"")
            if isAboutValue { error.message = error.message.withoutQuotedPart(of: text) }
        }
        return error
    }
}

extension StorageValue {
    /// Returns the texts by which the server may quote the value in a message of a length in bytes.
    fileprivate func quotedTexts(upTo length: Int) -> [String] {
        switch self {
        case .null: return []
        case .integer(let integer): return [String(integer)]
        case .real(let real): return [real.description]
        case .text(let text): return [text]
        case .blob(let bytes):
            // No more bytes are quoted.
            let bytes = bytes.prefix(length)
            return [#"\x"# + bytes.hexDigits] + (String(validating: bytes, as: UTF8.self).map { [$0] } ?? [])
        }
    }
}

extension String {
    /// Returns a message with a placeholder in place of a quoted part of the text. The part may contain
    /// quotation marks.
    fileprivate func withoutQuotedPart(of text: String) -> String {
        let bytes = Array(utf8)
        let marks = bytes.indices.filter { bytes[$0] == UInt8(ascii: "\"") }
        guard marks.count > 1, let last = marks.last else { return self }
        for end in [last, marks[1]] {
            let part = bytes[(marks[0] + 1)..<end]
            guard !part.isEmpty, text.utf8.firstRange(of: part) != nil else { continue }
            return String(decoding: bytes[...marks[0]] + Array("…".utf8) + bytes[end...], as: UTF8.self)
        }
        return self
    }
}
