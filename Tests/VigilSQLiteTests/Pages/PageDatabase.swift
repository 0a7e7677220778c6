import Foundation
import VigilSQLite
import VigilStorage
import XCTest

/// A file of a given format, in WAL mode, and the mirror of its tables.
final class PageDatabase {
    struct Format {
        var pageSize = 4096
        var autoVacuum = 0
        var encoding = "UTF-8"
        var reservedBytes = 0
        /// Whether freed pages are overwritten, as some builds of the library do by default.
        var overwritesFreePages = false
    }

    let connection: PageTestConnection
    let mirror: TableMirror
    private let directory: TemporaryDirectory

    convenience init(_ schema: String) throws {
        try self.init(Format(), schema)
    }

    init(_ format: Format, _ schema: String) throws {
        directory = try TemporaryDirectory()
        let path = directory.file("pages.db")
        let creator = try openPageTestConnection(path)
        try creator.run("PRAGMA page_size = \(format.pageSize)")
        try creator.run("PRAGMA auto_vacuum = \(format.autoVacuum)")
        try creator.run("PRAGMA encoding = '\(format.encoding)'")
        try creator.run("PRAGMA user_version = 1")
        try creator.close()
        try Self.reserve(format.reservedBytes, of: path, pageSize: format.pageSize)
        connection = try openPageTestConnection(path)
        try connection.run("PRAGMA journal_mode = wal")
        try connection.run("PRAGMA synchronous = off")
        try connection.run("PRAGMA wal_autocheckpoint = 0")
        try connection.run("PRAGMA secure_delete = \(format.overwritesFreePages ? "on" : "off")")
        try connection.run(schema)
        mirror = try TableMirror(connection, path: path)
    }

    deinit { try? connection.close() }

    /// Reserves bytes of each page of an empty file.
    private static func reserve(_ count: Int, of path: String, pageSize: Int) throws {
        guard count > 0 else { return }
        let url = URL(fileURLWithPath: path)
        var content = try Data(contentsOf: url)
        content[20] = UInt8(count)
        let usable = pageSize - count
        content[105] = UInt8(usable >> 8 & 0xff)
        content[106] = UInt8(usable & 0xff)
        try content.write(to: url)
    }

    /// Reads the states of the file, beginning with the current one.
    func states() -> LoggedStates { LoggedStates(path: directory.file("pages.db")) }

    /// The beginning of the index of the log.
    func indexHeader() throws -> [UInt8] {
        Array(
            try Data(contentsOf: URL(fileURLWithPath: directory.file("pages.db-shm"))).prefix(
                WALIndexHeader.size))
    }

    /// Runs statements, follows the log, and returns the changes.
    @discardableResult
    func changes(_ sql: String, file: StaticString = #filePath, line: UInt = #line) throws -> [String] {
        try connection.run(sql)
        try mirror.advance()
        try mirror.check(sql, file: file, line: line)
        return mirror.events
    }
}
