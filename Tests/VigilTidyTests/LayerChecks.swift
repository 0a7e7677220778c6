/// Compares the imports of all files with the layer table and with the manifest, and the manifest with the table.
///
/// The package manager does not detect an undeclared dependency if another target depends on the same module.
func layerFindings(in files: [SourceFile], manifest: Manifest) -> [Finding] {
    manifestFindings(manifest) + unusedDependencyFindings(in: files, manifest: manifest)
        + files.flatMap { importFindings(in: $0, manifest: manifest) }
}

/// Finds layers that a target of Swift files depends on, and that none of its files imports.
func unusedDependencyFindings(in files: [SourceFile], manifest: Manifest) -> [Finding] {
    var imported: [String: Set<String>] = [:]
    for file in files where file.isSwift {
        guard let folder = file.module else { continue }
        imported[folder, default: []].formUnion(imports(of: file).map(\.module))
    }
    return manifest.targets.flatMap { target -> [Finding] in
        guard let imported = imported[target.folder] else { return [] }
        return target.layers.subtracting(imported.map(moduleTarget)).sorted().map { name in
            Finding(
                rule: .layers, path: "Package.swift",
                message: "\(target.name) depends on \(name), which none of its files imports")
        }
    }
}

/// Returns the target of a module. In the names of modules, underscores replace hyphens.
private func moduleTarget(_ module: String) -> String {
    layerTable.map(\.folder).first { $0.replacing("-", with: "_") == module } ?? module
}

private func layer(_ folder: String) -> Layer? {
    layerTable.first { $0.folder == folder }
}

func manifestFindings(_ manifest: Manifest) -> [Finding] {
    manifest.targets.flatMap { target -> [Finding] in
        guard let layer = layer(target.folder) else { return [] }
        return target.layers.subtracting(layer.layers).sorted().map { name in
            Finding(
                rule: .layers, path: "Package.swift",
                message: "\(target.name) depends on \(name), which its layer may not import")
        }
    }
}

func importFindings(in file: SourceFile, manifest: Manifest) -> [Finding] {
    guard let folder = file.module else { return [] }
    guard !file.isSource || layer(folder) != nil else {
        return [
            Finding(
                rule: .layers, path: file.path,
                message: "the folder \(folder) is not in the layer table (LayerTable.swift)")
        ]
    }
    guard let target = manifest.target(inFolder: folder) else {
        return [
            Finding(
                rule: .layers, path: file.path,
                message: "Package.swift has no target for the folder \(folder)")
        ]
    }
    return imports(of: file).compactMap { line, module in
        let isOurs = layer(module) != nil
        if file.isSource, let layer = layer(folder),
            !layer.layers.contains(module), !layer.others.contains(module)
        {
            return Finding(
                rule: .layers, path: file.path, line: line, message: "\(folder) may not import \(module)")
        }
        if isOurs, !target.layers.contains(module) {
            return Finding(
                rule: .layers, path: file.path, line: line,
                message: "imports \(module), which \(target.name) does not name in Package.swift")
        }
        return nil
    }
}

/// Returns the modules that a file imports, also those inside of `#if`.
func imports(of file: SourceFile) -> [(line: Int, module: String)] {
    let modifiers = #"(?:(?:@\w+(?:\([^)\n]*\))?|public|package|internal|fileprivate|private)[ \t]+)*"#
    let kinds = #"(?:(?:struct|class|enum|actor|protocol|typealias|func|var|let)[ \t]+)?"#
    return file.matches(#"^[ \t]*"# + modifiers + #"import[ \t]+"# + kinds + #"(\w+)"#).map {
        ($0.line, $0.text)
    }
}
