import Foundation

/// The source of a key. A key is never an argument, because other users can see arguments.
enum KeyOrigin: Equatable {
    case environment(String)
    case file(String)
    case standardInput

    /// Reads the key: from a file or the standard input, the first line without its end.
    ///
    /// - Throws: `Failure` without a key. The message does not contain the key.
    func read(environment: [String: String] = ProcessInfo.processInfo.environment) throws -> String {
        switch self {
        case .environment(let name):
            guard let key = environment[name] else {
                throw Failure("the environment variable \(name) is not set: it should hold the key")
            }
            return key
        case .file(let path): return try Self.firstLine(of: path)
        case .standardInput:
            // A terminal would show the key.
            if isatty(STDIN_FILENO) == 1 { return try KeyPrompt.read("Key from the standard input") }
            guard let line = Self.line(of: STDIN_FILENO) else {
                throw Failure("the standard input has no line with the key")
            }
            return try Self.text(line, "the standard input")
        }
    }

    private static func firstLine(of path: String) throws -> String {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw Failure("cannot read the key file: \(String(cString: strerror(errno))): \(path)")
        }
        defer { close(descriptor) }
        var status = stat()
        if fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
            throw Failure("a directory, not a key file: \(path)")
        }
        guard let line = line(of: descriptor) else {
            throw Failure("the key file is empty, or cannot be read: \(path)")
        }
        return try text(line, "the key file \(path)")
    }

    private static func text(_ line: [UInt8], _ place: String) throws -> String {
        guard let text = String(validating: line, as: UTF8.self) else {
            throw Failure("the key in \(place) is not valid UTF-8")
        }
        return text
    }

    /// Reads one line, and nothing after it: the next line may be another key.
    private static func line(of descriptor: Int32) -> [UInt8]? {
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while true {
            let count = Foundation.read(descriptor, &byte, 1)
            if count < 0, errno == EINTR { continue }
            if count <= 0 { return line.isEmpty ? nil : line }
            if byte == UInt8(ascii: "\n") {
                if line.last == UInt8(ascii: "\r") { line.removeLast() }
                return line
            }
            line.append(byte)
        }
    }
}
