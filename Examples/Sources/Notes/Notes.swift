import Foundation
import Vigil

/// Keeps notes in a database file, encrypted or not, or on a PostgreSQL server.
@main
struct Notes {
    private static let usage = """
        usage: Notes DATABASE COMMAND

          FILE              a database file
          --encrypted FILE  an encrypted one, whose passphrase is in the variable NOTES_PASSPHRASE
          postgres://…      a database on a server; build with `swift build --traits PostgreSQL`

          add TITLE [TEXT]  add a note
          pin ID            keep a note at the top
          unpin ID
          remove ID
          list [WORD]       print the notes that contain a word, or all
          watch             print all notes, and again after each change, also by other processes
          dump              print the database
        """

    static func main() async {
        var arguments = CommandLine.arguments.dropFirst()
        let isEncrypted = arguments.first == "--encrypted"
        if isEncrypted { arguments.removeFirst() }
        guard let database = arguments.popFirst(), let command = arguments.popFirst() else { fail(usage) }
        do {
            try await run(command, Array(arguments), open(database, isEncrypted: isEncrypted))
        } catch {
            fail("\(error)")
        }
    }

    private static func open(_ database: String, isEncrypted: Bool) throws -> Notebook {
        if database.hasPrefix("postgres://") || database.hasPrefix("postgresql://") {
            if isEncrypted { fail("only files are encrypted") }
            #if PostgreSQL
                return try Notebook(server: database)
            #else
                fail("this build has no PostgreSQL: build it with `swift build --traits PostgreSQL`")
            #endif
        }
        let passphrase = ProcessInfo.processInfo.environment["NOTES_PASSPHRASE"]
        if isEncrypted, passphrase == nil { fail("NOTES_PASSPHRASE is not set") }
        return try Notebook(path: database, passphrase: isEncrypted ? passphrase : nil)
    }

    private static func run(_ command: String, _ arguments: [String], _ notebook: Notebook) async throws {
        switch (command, arguments.first, arguments.first.flatMap { Int64($0) }) {
        case ("add", let title?, _):
            let note = try notebook.add(title: title, text: arguments.dropFirst().joined(separator: " "))
            show([note])
        case ("pin", _, let id?): try notebook.setPinned(true, id)
        case ("unpin", _, let id?): try notebook.setPinned(false, id)
        case ("remove", _, let id?):
            if try !notebook.remove(id) { fail("there is no note \(id)") }
        case ("list", let word, _): show(try notebook.notes(containing: word))
        case ("watch", _, _):
            for try await notes in notebook.notes { show(notes, separator: "\n") }
        case ("dump", _, _): try notebook.database.dumpContent()
        default: fail(usage)
        }
    }

    private static func show(_ notes: [Note], separator: String = "") {
        let lines = notes.map { note in
            "\(note.id ?? 0)\(note.isPinned ? "*" : " ") \(note.title)"
                + (note.text.isEmpty ? "" : ": \(note.text)")
        }
        // `print` would buffer the output if it is a pipe.
        FileHandle.standardOutput.write(Data((lines.map { $0 + "\n" }.joined() + separator).utf8))
    }

    private static func fail(_ message: String) -> Never {
        FileHandle.standardError.write(Data("\(message)\n".utf8))
        exit(1)
    }
}
