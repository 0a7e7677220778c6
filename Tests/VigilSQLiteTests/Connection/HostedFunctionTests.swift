import VigilSQLCipher
import VigilSQLite
import VigilStorage
import XCTest

/// Functions and collations of backends when the process hosts several libraries.
final class HostedFunctionTests: XCTestCase {
    private func open(_ backend: any StorageBackend) throws -> any StorageConnection {
        try backend.open(.memory(name: nil), options: StorageOptions())
    }

    private func function(_ name: String, _ body: @escaping ([StorageValue]) -> StorageValue)
        -> StorageFunction
    {
        StorageFunction(
            name: name, argumentCount: nil, isPure: false,
            body: .scalar { arguments throws(StorageError) in body(arguments) })
    }

    func testEachLibraryCallsItsOwnFunctions() throws {
        let connections = try NamedBackend.all.map { try open($0.backend) }
        for (index, connection) in connections.enumerated() {
            let host = try XCTUnwrap(connection as? any FunctionHosting)
            try host.add(function("which") { _ in .integer(Int64(index)) })
        }
        for _ in 1...2 {
            for (index, connection) in connections.enumerated() {
                XCTAssertEqual(try connection.run("SELECT which(1, 'x')"), [[.integer(Int64(index))]])
            }
        }
    }

    func testAFunctionOfOneLibraryCanQueryTheOther() throws {
        let connections = try NamedBackend.all.map { try open($0.backend) }
        for connection in connections {
            try (connection as? any FunctionHosting)?.add(
                function("double") { .integer(2 * $0[0].asInteger) })
        }
        let (first, last) = (connections[0], try XCTUnwrap(connections.last))
        try (first as? any FunctionHosting)?.add(
            function("viaTheOther") { arguments in
                (try? last.run("SELECT double(?)", arguments))?.first?.first ?? .null
            })
        XCTAssertEqual(
            try first.run("SELECT double(viaTheOther(5)), double(1)"), [[.integer(20), .integer(2)]])
    }

    func testAConnectionKnowsWhetherItWrites() throws {
        for backend in NamedBackend.all {
            let connection = try open(backend.backend)
            let host = try XCTUnwrap(connection as? any FunctionHosting)
            var answers: [Bool] = []
            try host.add(
                function("note") { [unowned host] _ in
                    answers.append(host.isRunningWrite)
                    return .null
                })
            try connection.run("CREATE TABLE t(a); SELECT note(); INSERT INTO t VALUES (note())")
            XCTAssertEqual(answers, [false, true])
            XCTAssertFalse(host.isRunningWrite)
        }
    }

    func testAnOverlongNameIsRefusedWithoutLeaks() throws {
        final class Witness {}
        for backend in NamedBackend.all {
            let connection = try open(backend.backend)
            let host = try XCTUnwrap(connection as? any FunctionHosting)
            weak var witness: Witness?
            do {
                let object = Witness()
                witness = object
                let tooLong = function(String(repeating: "x", count: 256)) { _ in
                    withExtendedLifetime(object) { .null }
                }
                XCTAssertThrowsError(try host.add(tooLong)) {
                    XCTAssertEqual(($0 as? StorageError)?.code.primary, .misuse)
                }
            }
            XCTAssertNil(witness)
        }
    }

    func testUseAfterCloseIsMisuse() throws {
        for backend in NamedBackend.all {
            let connection = try open(backend.backend)
            let host = try XCTUnwrap(connection as? any FunctionHosting)
            try connection.close()
            for use: () throws -> Void in [
                { try host.add(self.function("f") { _ in .null }) },
                { try host.removeFunction(named: "f", argumentCount: nil) },
                { try host.add(StorageCollation(name: "c") { _, _ in 0 }) },
                { try host.removeCollation(named: "c") },
            ] {
                XCTAssertThrowsError(try use()) { XCTAssertEqual(($0 as? StorageError)?.code, .misuse) }
            }
        }
    }
}

extension StorageValue {
    fileprivate var asInteger: Int64 { if case .integer(let integer) = self { integer } else { 0 } }
}
