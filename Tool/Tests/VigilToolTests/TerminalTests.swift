import Foundation
import Vigil
import XCTest

/// Tests that run the tool in a pseudoterminal.
final class TerminalTests: ToolTestCase {
    private struct NoTerminal: Error {}

    func testWatchRedrawsInPlaceAndRestoresTerminal() throws {
        let dbQueue = try makeDatabase()
        var (master, slave): (Int32, Int32) = (0, 0)
        var size = winsize(ws_row: 20, ws_col: 40, ws_xpixel: 0, ws_ypixel: 0)
        guard openpty(&master, &slave, nil, nil, &size) == 0 else { throw NoTerminal() }
        let terminal = FileHandle(fileDescriptor: master, closeOnDealloc: true)
        let slaveHandle = FileHandle(fileDescriptor: slave, closeOnDealloc: true)
        let tool = try ToolProcess(
            ["watch", path, "SELECT id, name FROM player"],
            environment: ["TERM": "xterm", "NO_COLOR": "1"], to: slaveHandle)

        var shown = try read(terminal, until: "\u{1b}[J")
        XCTAssertTrue(shown.hasPrefix("\u{1b}[?1049h\u{1b}[?25l\u{1b}[H"), shown)
        XCTAssertTrue(shown.contains("SELECT id, name FROM player\u{1b}[K"), shown)
        XCTAssertTrue(shown.contains(" 2  Grace\u{1b}[K"), shown)
        XCTAssertTrue(shown.contains("2 rows · no update since "), shown)

        try write(dbQueue, "INSERT INTO player VALUES (3, 'Hedy', 0)")
        shown = try read(terminal, until: "\u{1b}[J")
        XCTAssertTrue(shown.hasPrefix("\u{1b}[H"), shown)
        XCTAssertTrue(shown.contains("3 rows · 1 update, at "), shown)

        tool.send(SIGINT)
        shown = try read(terminal, until: "1 update, at ")
        XCTAssertTrue(shown.hasPrefix("\u{1b}[m\u{1b}[?25h\u{1b}[?1049l"), shown)
        XCTAssertTrue(shown.contains(" 3  Hedy\r\n"), shown)
        XCTAssertEqual(try tool.end(), .init(status: 0, output: "", error: ""))
    }

    func testErrorIsPrintedAfterTerminalIsRestored() throws {
        let dbQueue = try makeDatabase()
        var (master, slave): (Int32, Int32) = (0, 0)
        guard openpty(&master, &slave, nil, nil, nil) == 0 else { throw NoTerminal() }
        let terminal = FileHandle(fileDescriptor: master, closeOnDealloc: true)
        let slaveHandle = FileHandle(fileDescriptor: slave, closeOnDealloc: true)
        let tool = try ToolProcess(
            ["watch", path, "SELECT id FROM player"], environment: ["TERM": "xterm"], to: slaveHandle)
        _ = try read(terminal, until: "\u{1b}[J")
        try write(dbQueue, "DROP TABLE player")
        XCTAssertEqual(try read(terminal, until: "1049l"), "\u{1b}[m\u{1b}[?25h\u{1b}[?1049l")
        XCTAssertEqual(
            try tool.end(), .init(status: 1, output: "", error: "vigil: error: no such table: player\n"))
    }

    func testANoteIsShownBeforeTheFirstResult() throws {
        let dbQueue = try makeDatabase(journalMode: "DELETE")
        var (master, slave): (Int32, Int32) = (0, 0)
        guard openpty(&master, &slave, nil, nil, nil) == 0 else { throw NoTerminal() }
        let terminal = FileHandle(fileDescriptor: master, closeOnDealloc: true)
        let slaveHandle = FileHandle(fileDescriptor: slave, closeOnDealloc: true)
        let tool = try dbQueue.writeWithoutTransaction { db in
            try db.execute(sql: "BEGIN EXCLUSIVE")
            let tool = try ToolProcess(
                ["watch", path, "SELECT id FROM player"], environment: ["TERM": "xterm"], to: slaveHandle,
                errorsTo: slaveHandle)
            let shown = try read(terminal, until: "players.db\r\n")
            XCTAssertTrue(shown.hasPrefix("vigil: note: waiting for up to 10 seconds"), shown)
            try db.execute(sql: "COMMIT")
            return tool
        }
        _ = try read(terminal, until: "2 rows")
        tool.send(SIGINT)
        _ = try tool.end()
    }

    /// Reads the output of the tool until it ends with the given text.
    private func read(_ terminal: FileHandle, until end: String) throws -> String {
        var data = Data()
        while !data.suffix(end.utf8.count).elementsEqual(end.utf8) {
            var request = pollfd(fd: terminal.fileDescriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&request, 1, Int32(ToolProcess.timeout * 1000)) == 1,
                let byte = try terminal.read(upToCount: 1), !byte.isEmpty
            else { throw ToolProcess.TooLate() }
            data += byte
        }
        return String(decoding: data, as: UTF8.self)
    }
}
