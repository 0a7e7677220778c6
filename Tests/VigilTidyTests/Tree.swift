import Foundation

/// The files of the package.
struct Tree {
    let root: URL
    /// All text files except build products, sorted by path.
    let files: [SourceFile]

    static let current = Tree(root: packageRoot)

    private static var packageRoot: URL {
        URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    }

    init(root: URL) {
        let files = Tree.paths(under: root).compactMap { path -> SourceFile? in
            guard let data = try? Data(contentsOf: root.appendingPathComponent(path)),
                let text = String(data: data, encoding: .utf8)
            else { return nil }
            return SourceFile(path: path, text: text)
        }
        self.init(root: root, files: files)
    }

    init(root: URL, files: [SourceFile]) {
        self.root = root
        self.files = files
    }

    var swiftFiles: [SourceFile] {
        files.filter { $0.isSwift && ($0.isSource || $0.isTest) }
    }

    var scripts: [SourceFile] {
        files.filter { $0.path.hasPrefix("Scripts/") || $0.path.hasPrefix(".ci/") }
            // Functions that scripts share.
            .filter { !$0.path.hasSuffix(".bash") }
    }

    private static func paths(under root: URL) -> [String] {
        guard let enumerator = FileManager.default.enumerator(atPath: root.path) else { return [] }
        var paths: [String] = []
        while let path = enumerator.nextObject() as? String {
            let name = path.split(separator: "/").last.map(String.init) ?? path
            let isDirectory = enumerator.fileAttributes?[.type] as? FileAttributeType == .typeDirectory
            if isProduct(name) {
                if isDirectory { enumerator.skipDescendants() }
            } else if !isDirectory {
                paths.append(path)
            }
        }
        return paths.sorted()
    }

    /// Returns whether git, the package manager or Xcode creates the file or folder.
    private static func isProduct(_ name: String) -> Bool {
        name.hasPrefix(".build") || [".git", ".swiftpm", "DerivedData", "Package.resolved"].contains(name)
    }
}
