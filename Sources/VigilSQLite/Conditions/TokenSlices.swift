import VigilStorage

extension ArraySlice<SQLToken> {
    /// The indexes of the tokens outside of parentheses, without these; `nil` if they do not match.
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

    /// The index of the parenthesis closing the first one; `nil` if none does.
    var closingIndex: Index? {
        var depth = 0
        for index in indices {
            if self[index].isSymbol("(") { depth += 1 }
            if self[index].isSymbol(")") { depth -= 1 }
            if depth == 0 { return index }
        }
        return nil
    }

    /// The tokens without parentheses around all of them.
    var withoutParentheses: Self {
        var tokens = self
        while let first = tokens.first, first.isSymbol("("), tokens.closingIndex == tokens.endIndex - 1 {
            tokens = tokens.dropFirst().dropLast()
        }
        return tokens
    }

    /// Returns the parts between separators outside of parentheses.
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
