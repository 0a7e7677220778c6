import XCTest

final class DialectChecksTests: XCTestCase {
    private func lines(_ text: String, path: String = "Sources/VigilEngine/a.swift") -> [Int] {
        dialectWordFindings(SourceFile(path: path, text: text)).map(\.line)
    }

    func testWordsOfOneDialectAreReportedWithTheirLines() {
        for text in [
            #"a(sql: "PRAGMA cache_size")"#, #"a("VACUUM")"#, #"a("VACUUM INTO ?")"#,
            #"a("SELECT * FROM sqlite_master")"#, #"a("pragma_table_info")"#, ##"a(#"VACUUM "a""#)"##,
            #"a(" AUTOINCREMENT")"#, #"a("b) WITHOUT ROWID")"#, #"a("INSERT OR \(b)")"#,
            #"a("\(b("PRAGMA c"))")"#,
        ] {
            XCTAssertEqual(lines("\n" + text), [2], text)
        }
        XCTAssertEqual(lines("a(\n\"\"\"\nSELECT a\nFROM sqlite_schema\n\"\"\")"), [4])
        XCTAssertEqual(lines(#"a("PRAGMA a; PRAGMA b")"#), [1, 1])
    }

    func testOtherTextIsNotReported() {
        for text in [
            "// PRAGMA a", "/* VACUUM */", "/// `sqlite_master`", "let sqlite_a = 1", #"a("SELECT b")"#,
            #"a("SQLITE_BUSY")"#, #"a("vacuuming")"#, #"a("\(sqlite_a)")"#, #"a("INSERT INTO b")"#,
        ] {
            XCTAssertEqual(lines(text), [], text)
        }
    }

    func testOnlyModulesAboveTheDriversAreRead() {
        for (path, count) in [
            ("Sources/VigilRegions/a.swift", 1), ("Sources/VigilQuery/a.swift", 1),
            ("Sources/VigilSQLite/a.swift", 0), ("Sources/VigilStorage/a.swift", 0),
            ("Sources/Vigil/a.swift", 0), ("Tests/VigilEngine/a.swift", 0),
        ] {
            XCTAssertEqual(lines(#"a("PRAGMA b")"#, path: path).count, count, path)
        }
    }
}
