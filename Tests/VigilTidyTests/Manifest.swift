/// The targets that `Package.swift` declares.
struct Manifest {
    struct Target: Equatable {
        let name: String
        /// The folder under `Sources` or `Tests`.
        let folder: String
        /// The layers that it depends on.
        let layers: Set<String>
    }

    let targets: [Target]

    init(targets: [Target]) {
        self.targets = targets
    }

    /// Parses the elements of the argument `targets:` of the package.
    ///
    /// The first string literal of an element is the target's name, the one after `path:` is its folder, and those
    /// that name a layer are its dependencies.
    init(_ file: SourceFile) {
        let known = Set(layerTable.map(\.folder))
        targets = Manifest.elements(of: file).compactMap { range in
            let literals = Manifest.literals(in: range, of: file)
            guard let name = literals.first?.text else { return nil }
            let path = literals.first { $0.label == "path" }?.text
            let folder = path?.split(separator: "/").last.map(String.init) ?? name
            let layers = literals.dropFirst().map(\.text).filter(known.contains)
            return Target(name: name, folder: folder, layers: Set(layers))
        }
    }

    func target(inFolder folder: String) -> Target? {
        targets.first { $0.folder == folder }
    }

    /// Returns the ranges of the elements of the argument `targets:` of `Package(…)`.
    private static func elements(of file: SourceFile) -> [Range<Int>] {
        let code = file.code
        var elements: [Range<Int>] = []
        var depth = 0
        var start: Int?
        for place in code.indices {
            switch code[place] {
            case UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "{"):
                depth += 1
                if depth == 2, start == nil, label(before: place, in: code) == "targets" {
                    start = place + 1
                }
            case UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"):
                depth -= 1
                if depth == 1, let first = start {
                    elements.append(first..<place)
                    return elements
                }
            case UInt8(ascii: ","):
                if depth == 2, let first = start {
                    elements.append(first..<place)
                    start = place + 1
                }
            default: break
            }
        }
        return elements
    }

    /// Returns the argument label that directly precedes a position.
    private static func label(before place: Int, in code: [UInt8]) -> String? {
        let before = String(decoding: code[..<place].suffix(100), as: UTF8.self)
        let words = before.split(whereSeparator: \.isWhitespace)
        guard let last = words.last, last.last == ":" else { return nil }
        let name = last.dropLast()
        return String(name[(name.lastIndex { !$0.isLetter }.map(name.index(after:)) ?? name.startIndex)...])
    }

    private static func literals(in range: Range<Int>, of file: SourceFile) -> [(
        label: String?, text: String
    )] {
        let quotes = range.filter { file.code[$0] == UInt8(ascii: "\"") }
        let text = Array(file.text.utf8)
        return stride(from: 0, to: quotes.count - 1, by: 2).map { index in
            (
                label(before: quotes[index], in: file.code),
                String(decoding: text[quotes[index] + 1..<quotes[index + 1]], as: UTF8.self)
            )
        }
    }
}
