import Foundation

/// Compares the articles of the documentation catalogues with the sources.
///
/// `Scripts/docs` checks more, but requires DocC.
func documentationFindings(in tree: Tree) -> [Finding] {
    let modules = tree.catalogues
    let samples = SampleLines(files: tree.files.filter(\.hasSamples))
    return modules.flatMap { module in
        module.ungroupedTypes.map {
            Finding(
                rule: .documentation, path: $0.path, line: $0.line,
                message: "\($0.name) is in no topic group of \(module.name).docc")
        }
            + module.articles.flatMap { article in
                brokenLinks(in: article, of: module, among: modules)
                    + samplesThatDoNotCompile(in: article, samples)
            }
    }
}

/// A module with its documentation.
private final class Catalogue {
    let name: String
    let sources: [SourceFile]
    let articles: [SourceFile]
    /// The words of the code. A link to a symbol consists of such words.
    private(set) lazy var words: Set<String> = sources.reduce(into: []) { $0.formUnion($1.words) }

    init(name: String, files: [SourceFile]) {
        self.name = name
        sources = files.filter(\.isSwift)
        articles = files.filter { $0.path.contains(".docc/") && $0.path.hasSuffix(".md") }
    }

    var overview: SourceFile? { articles.first { $0.name == name } }

    /// The public declarations outside of types that no topic group lists.
    var ungroupedTypes: [(name: String, path: String, line: Int)] {
        let grouped = overview.map { $0.text.components(separatedBy: "## Topics").last ?? "" } ?? ""
        return sources.flatMap { file in
            publicDeclarations(of: file).filter { declaration in
                !["`", "("].contains { grouped.contains("``\(declaration.name)\($0)") }
            }
            .map { ($0.name, file.path, $0.line) }
        }
    }
}

extension Tree {
    fileprivate var catalogues: [Catalogue] {
        let modules = Dictionary(grouping: files.filter(\.isSource)) { $0.module ?? "" }
        return modules.keys.sorted().map { Catalogue(name: $0, files: modules[$0] ?? []) }
    }
}

extension SourceFile {
    /// Whether articles may contain lines of the file: a snippet, an example, or a test with a note at its
    /// head.
    fileprivate var hasSamples: Bool {
        isSwift
            && (path.hasPrefix("Snippets/") || path.hasPrefix("Examples/")
                || (isTest && text.prefix(300).contains("which a tidy test compares with this file")))
    }

    /// The name of the file without its extension.
    fileprivate var name: String {
        String((path.split(separator: "/").last ?? "").prefix { $0 != "." })
    }
}

/// Returns the public declarations of a file that are not inside of others. Names with an underscore are not
/// documented, nor are names that are unavailable in every version.
private func publicDeclarations(of file: SourceFile) -> [(name: String, line: Int)] {
    let pattern =
        #"\bpublic\s+(?:final\s+|indirect\s+)*(?:class|struct|enum|protocol|actor|typealias|func)\s+([A-Za-z]\w*)"#
    let declarations = file.matches(pattern)
    if declarations.isEmpty { return [] }
    let unavailable = Set(
        file.matches(#"@available\(\s*\*,\s*unavailable[^()]*\)\s*"# + pattern).map(\.text))
    let depths = braceDepths(of: file)
    return declarations.filter { depths[$0.line - 1] == 0 && !unavailable.contains($0.text) }
        .map { ($0.text, $0.line) }
}

/// Returns the number of open braces at the beginning of each line.
private func braceDepths(of file: SourceFile) -> [Int] {
    var depths = [0]
    var depth = 0
    for byte in file.code {
        switch byte {
        case UInt8(ascii: "{"): depth += 1
        case UInt8(ascii: "}"): depth -= 1
        case UInt8(ascii: "\n"): depths.append(depth)
        default: break
        }
    }
    return depths
}

/// Finds links to articles that do not exist, and links to symbols with a word that the module does not
/// contain.
private func brokenLinks(
    in article: SourceFile, of module: Catalogue, among modules: [Catalogue]
) -> [Finding] {
    var isInCode = false
    return article.lines.enumerated().flatMap { index, line -> [Finding] in
        if line.hasPrefix("```") { isInCode.toggle() }
        guard !isInCode, !line.hasPrefix("```") else { return [] }
        let broken =
            links(in: line, from: "<doc:", to: ">").filter { name in
                !module.articles.contains { $0.name == name }
            }
            + links(in: line, from: "``", to: "``").filter { link in
                !resolves(link, in: module, among: modules)
            }
        return broken.map {
            Finding(
                rule: .documentation, path: article.path, line: index + 1, message: "\($0) does not exist")
        }
    }
}

private func links(in line: Substring, from start: String, to end: String) -> [String] {
    line.components(separatedBy: start).dropFirst().enumerated()
        // Between equal delimiters, every second part is outside of a link.
        .filter { start != end || $0.offset % 2 == 0 }
        .compactMap { $0.element.components(separatedBy: end).first }
}

private func resolves(_ link: String, in module: Catalogue, among modules: [Catalogue]) -> Bool {
    var path = link.split(separator: "/")[...]
    var words = module.words
    if link.hasPrefix("/") {
        guard let name = path.popFirst(), let other = modules.first(where: { $0.name == name }) else {
            return false
        }
        words = other.words
    }
    return path.allSatisfy { part in
        part == module.name || words.contains(String(part.prefix { $0 != "(" && $0 != "-" }))
    }
}

/// Finds blocks of Swift code in an article that are in no snippet, and in no test.
private func samplesThatDoNotCompile(in article: SourceFile, _ samples: SampleLines) -> [Finding] {
    codeBlocks(of: article).filter { !samples.contain($0.lines) }.map {
        Finding(
            rule: .documentation, path: article.path, line: $0.line,
            message: "the sample is in no file of Snippets, Examples or Tests, so nothing compiles it")
    }
}

/// Returns the blocks of Swift code with the lines on which they begin. Indentation and empty lines are left
/// out.
private func codeBlocks(of article: SourceFile) -> [(line: Int, lines: [String])] {
    var blocks: [(line: Int, lines: [String])] = []
    var block: [String]?
    for (index, line) in article.lines.enumerated() {
        let text = line.trimmingCharacters(in: .whitespaces)
        if text.hasPrefix("```") {
            if let lines = block { blocks.append((index - lines.count, lines)) }
            block = text == "```swift" && block == nil ? [] : nil
        } else if !text.isEmpty {
            block?.append(text)
        }
    }
    return blocks
}

/// Returns the lines of a snippet that its readers see.
private func visibleLines(of snippet: SourceFile) -> [String] {
    var isHidden = false
    return snippet.lines.map { String($0.drop { $0 == " " }) }.filter { line in
        if line.hasPrefix("// snippet.") {
            isHidden = line == "// snippet.hide"
            return false
        }
        return !isHidden && !line.isEmpty
    }
}

/// The visible lines of all files with samples, with an index of the places where each line stands.
private struct SampleLines {
    private let files: [[String]]
    private let places: [String: [(file: Int, line: Int)]]

    init(files: [SourceFile]) {
        self.files = files.map(visibleLines)
        places = self.files.enumerated().reduce(into: [:]) { places, file in
            for (line, text) in file.element.enumerated() {
                places[text, default: []].append((file.offset, line))
            }
        }
    }

    func contain(_ block: [String]) -> Bool {
        guard let first = block.first else { return true }
        return places[first, default: []].contains { files[$0.file][$0.line...].starts(with: block) }
    }
}
