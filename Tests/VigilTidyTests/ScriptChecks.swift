import Foundation

/// The result of running a script with `--help`.
struct ScriptAnswer {
    var isExecutable = false
    var status: Int32 = -1
    var output = ""
}

func scriptFindings(_ file: SourceFile, answer: ScriptAnswer) -> [Finding] {
    var messages: [String] = []
    if !answer.isExecutable {
        messages.append("is not executable: chmod +x")
    } else if answer.status != 0 || !answer.output.hasPrefix("Usage: ") {
        messages.append("does not answer --help with \"Usage: …\" and status 0")
    }
    return messages.map { Finding(rule: .script, path: file.path, message: $0) }
}

extension ScriptAnswer {
    init(of file: SourceFile, in tree: Tree) {
        let path = tree.root.appendingPathComponent(file.path).path
        guard FileManager.default.isExecutableFile(atPath: path) else { return }
        isExecutable = true
        #if os(Linux) || os(macOS)
            let process = Process()
            let pipe = Pipe()
            process.executableURL = URL(fileURLWithPath: path)
            process.arguments = ["--help"]
            process.standardInput = FileHandle.nullDevice
            process.standardOutput = pipe
            process.standardError = FileHandle.nullDevice
            guard (try? process.run()) != nil else { return }
            output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            process.waitUntilExit()
            status = process.terminationStatus
        #endif
    }
}
