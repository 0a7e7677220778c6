import Foundation

/// A program on a documentation page, with the output that the page shows below it.
///
/// The page marks it with a comment, `<!-- sample: NAME -->`, and the program is the file
/// `Snippets/NAME.swift`.
struct Sample {
    let page: String
    let name: String
    let program: MarkdownBlock
    /// The text that the program prints, as the page shows it; `nil` if no output follows the program.
    let output: String?
}

/// A file in `Snippets`, which the package manager builds as an executable of the same name.
struct Snippet {
    let name: String
    /// The program without the condition around it.
    let program: String
    /// The trait that the program requires, in a condition around all of it; `nil` if it has no condition.
    let trait: String?

    /// Creates a snippet; `nil` if the file is not one.
    init?(_ file: SourceFile) {
        let (folder, suffix) = ("Snippets/", ".swift")
        guard file.path.hasPrefix(folder), file.path.hasSuffix(suffix) else { return nil }
        name = String(file.path.dropFirst(folder.count).dropLast(suffix.count))
        let lines = file.text.split(separator: "\n", omittingEmptySubsequences: false)
        let condition = "#if "
        guard let first = lines.first, first.hasPrefix(condition), lines.suffix(2) == ["#endif", ""] else {
            (program, trait) = (file.text, nil)
            return
        }
        trait = String(first.dropFirst(condition.count))
        program = lines.dropFirst().dropLast(2)
            .map { ($0.hasPrefix("    ") ? $0.dropFirst(4) : $0) + "\n" }.joined()
    }
}

extension Tree {
    /// The documentation pages that may show samples: README, Documentation, and the articles of catalogues.
    var samplePages: [SourceFile] {
        files.filter { file in
            file.path == "README.md"
                || (file.path.hasSuffix(".md")
                    && (file.path.hasPrefix("Documentation/") || file.path.contains(".docc/")))
        }
    }

    var snippets: [Snippet] { files.compactMap(Snippet.init) }
}

/// Returns the samples of a page, and findings for Swift code that is neither a sample nor marked as a
/// fragment.
///
/// Articles need no marks: another check compares each of their blocks with snippets and tests.
func samples(in page: SourceFile) -> (samples: [Sample], findings: [Finding]) {
    let blocks = markdownBlocks(in: page.text)
    var samples: [Sample] = []
    var findings: [Finding] = []
    for (index, block) in blocks.enumerated() where block.language == "swift" && block.note != "fragment" {
        let mark = "sample: "
        guard let note = block.note, note.hasPrefix(mark) else {
            if page.isSource { continue }
            findings.append(
                Finding(
                    rule: .sample, path: page.path, line: block.line,
                    message: "Swift code without <!-- \(mark)NAME --> or <!-- fragment --> above it"))
            continue
        }
        let next = blocks.dropFirst(index + 1).first
        samples.append(
            Sample(
                page: page.path, name: String(note.dropFirst(mark.count)), program: block,
                output: next.flatMap { $0.language.isEmpty ? $0.text : nil }))
    }
    return (samples, findings)
}

/// Finds samples that differ from their snippets or have no output, and snippets that no page shows.
///
/// Snippets with hidden lines belong to the articles of the documentation catalogues.
func sampleFindings(in tree: Tree) -> [Finding] {
    let snippets = Dictionary(uniqueKeysWithValues: tree.snippets.map { ($0.name, $0) })
    var findings: [Finding] = []
    var shown: Set<String> = []
    for page in tree.samplePages {
        let (samples, unmarked) = samples(in: page)
        findings += unmarked
        for sample in samples {
            shown.insert(sample.name)
            let path = "Snippets/\(sample.name).swift"
            var messages: [String] = []
            if snippets[sample.name]?.program != sample.program.text {
                messages.append("the sample is not the program in \(path)")
            }
            if sample.output == nil { messages.append("no output follows the sample \(sample.name)") }
            findings += messages.map {
                Finding(rule: .sample, path: page.path, line: sample.program.line, message: $0)
            }
        }
    }
    return findings
        + tree.snippets.filter { !shown.contains($0.name) && !$0.program.contains("// snippet.hide") }.map {
            Finding(
                rule: .sample, path: "Snippets/\($0.name).swift", message: "no documentation page shows it")
        }
}
