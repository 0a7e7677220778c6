/// A fenced block of code on a Markdown page.
struct MarkdownBlock: Equatable {
    /// The line of the opening fence, counted from 1.
    let line: Int
    /// The word after the opening fence, such as `swift`; empty for output.
    let language: String
    /// The HTML comment on the line above the block, without its delimiters; or `nil`.
    let note: String?
    /// The lines of the block, each with its newline.
    let text: String
}

/// Returns the fenced blocks of a page, in order. A block that is not closed extends to the end of the page.
func markdownBlocks(in page: String) -> [MarkdownBlock] {
    let fence = "```"
    let lines = page.split(separator: "\n", omittingEmptySubsequences: false)
    var blocks: [MarkdownBlock] = []
    var place = 0
    while place < lines.count {
        if lines[place].hasPrefix(fence) {
            let end = lines[(place + 1)...].firstIndex(of: fence[...]) ?? lines.count
            blocks.append(
                MarkdownBlock(
                    line: place + 1, language: String(lines[place].dropFirst(fence.count)),
                    note: place > 0 ? htmlComment(lines[place - 1]) : nil,
                    text: lines[(place + 1)..<end].map { $0 + "\n" }.joined()))
            place = end
        }
        place += 1
    }
    return blocks
}

private func htmlComment(_ line: Substring) -> String? {
    let (opening, closing) = ("<!-- ", " -->")
    guard line.hasPrefix(opening), line.hasSuffix(closing), line.count > opening.count + closing.count else {
        return nil
    }
    return String(line.dropFirst(opening.count).dropLast(closing.count))
}
