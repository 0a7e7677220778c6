import ArgumentParser
import Foundation
import Vigil

/// The options for the key of the database.
struct KeyArguments: ParsableArguments {
    @Option(
        name: .customLong("key-env"),
        help: ArgumentHelp(
            "The environment variable that holds the key of an encrypted database.",
            discussion: """
                A passphrase, or x'…' with the 64 or 96 hexadecimal digits of a raw key. On a terminal, the key is asked \
                for if no option gives it. VIGIL_SQLCIPHER_LIBRARY may give the path of the libsqlcipher to use.
                """,
            valueName: "name"))
    var environment: String?

    @Option(
        name: .customLong("key-file"),
        help: ArgumentHelp("The file whose first line is the key.", valueName: "path"),
        completion: .file())
    var file: String?

    @Flag(name: .customLong("key-stdin"), help: "Reads the key from the first line of the standard input.")
    var readsStandardInput = false

    @Option(
        help: ArgumentHelp(
            "The major version of SQLCipher that the file was created with, 1 to 4.", valueName: "version"))
    var compatibility: Int?

    func validate() throws {
        guard [environment != nil, file != nil, readsStandardInput].count(where: { $0 }) < 2 else {
            throw ValidationError("Give one of --key-env, --key-file and --key-stdin.")
        }
    }

    private var origin: KeyOrigin? {
        if readsStandardInput { return .standardInput }
        return environment.map { .environment($0) } ?? file.map { .file($0) }
    }

    /// Returns the source of a database. Asks for the key if the file needs one, none was given, and there is
    /// a person to ask.
    func source(_ path: String) throws -> DatabaseSource {
        if DatabaseSource.isServer(path), origin != nil || compatibility != nil {
            throw Failure.onlyFilesAreEncrypted
        }
        var encryption = Encryption(key: try origin?.read(), cipherLibrary: Self.cipherLibrary)
        encryption.compatibility = compatibility
        let source = DatabaseSource(path: path, encryption: encryption)
        guard encryption.key == nil, KeyPrompt.isPossible, source.needsKey() else { return source }
        encryption.key = try KeyPrompt.read("Key of \(path)")
        return DatabaseSource(path: path, encryption: encryption)
    }

    static var cipherLibrary: String? { ProcessInfo.processInfo.environment["VIGIL_SQLCIPHER_LIBRARY"] }
}

/// The options for the key of a copy, or for a new key.
struct NewKeyArguments: ParsableArguments {
    @Option(
        name: .customLong("new-key-env"),
        help: ArgumentHelp(
            "The environment variable that holds the new key.",
            discussion: "On a terminal, the new key is asked for if no option gives it.", valueName: "name"))
    var environment: String?

    @Option(
        name: .customLong("new-key-file"),
        help: ArgumentHelp("The file whose first line is the new key.", valueName: "path"),
        completion: .file())
    var file: String?

    @Flag(
        name: .customLong("new-key-stdin"),
        help: "Reads the new key from the standard input, from the line after the one of --key-stdin.")
    var readsStandardInput = false

    var count: Int { [environment != nil, file != nil, readsStandardInput].count { $0 } }

    func validate() throws {
        guard count < 2 else {
            throw ValidationError("Give one of --new-key-env, --new-key-file and --new-key-stdin.")
        }
    }

    func read() throws -> String {
        if readsStandardInput { return try KeyOrigin.standardInput.read() }
        if let origin = environment.map({ KeyOrigin.environment($0) }) ?? file.map({ .file($0) }) {
            return try origin.read()
        }
        guard KeyPrompt.isPossible else {
            throw Failure("no new key was given: use --new-key-env, --new-key-file or --new-key-stdin")
        }
        return try KeyPrompt.readNew()
    }
}
