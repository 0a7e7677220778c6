/// Walks through tokens by the level of their parentheses.
extension ArraySlice<SQLToken> {
    /// The indexes of the tokens that are in no parentheses. Parentheses themselves are not among them.
    ///
    /// `nil` if the parentheses do not match.
    var outerIndexes: [Index]? {
        var depth = 0
        var found: [Index] = []
        for index in indices {
            if self[index].isSymbol("(") {
                depth += 1
            } else if self[index].isSymbol(")") {
                depth -= 1
                if depth < 0 { return nil }
            } else if depth == 0 {
                found.append(index)
            }
        }
        return depth == 0 ? found : nil
    }

    /// Where the parenthesis that is opened by the first token is closed.
    var closingIndex: Index? {
        var depth = 0
        for index in indices {
            if self[index].isSymbol("(") { depth += 1 }
            if self[index].isSymbol(")") { depth -= 1 }
            if depth == 0 { return index }
        }
        return nil
    }

    /// Without parentheses around the whole.
    var withoutParentheses: Self {
        var tokens = self
        while let first = tokens.first, first.isSymbol("("), tokens.closingIndex == tokens.endIndex - 1 {
            tokens = tokens.dropFirst().dropLast()
        }
        return tokens
    }

    /// The parts between the separators that are in no parentheses.
    func split(at separators: [Index]) -> [Self] {
        var parts: [Self] = []
        var start = startIndex
        for separator in separators {
            parts.append(self[start..<separator])
            start = separator + 1
        }
        parts.append(self[start...])
        return parts
    }
}
