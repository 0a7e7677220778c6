import VigilTestSupport
import XCTest

@testable import VigilPostgres

final class PgOutputTests: XCTestCase {
    /// Messages of a server, in hexadecimal digits.
    private static let recorded = [
        // Begin, commit.
        "42 0000000001a2b3c8 0002b1c2d3e4f506 00000317",
        "43 00 0000000001a2b3c8 0000000001a2b3f8 0002b1c2d3e4f506",
        // The relation public.t (id, a).
        "52 00004001 7075626c696300 7400 64 0002 01 696400 00000017 ffffffff 00 6100 00000019 ffffffff",
        "59 00004010 7075626c696300 6d6f6f6400",
        "49 00004001 4e 0002 74 00000001 31 6e",
        "55 00004001 4e 0002 74 00000001 31 75",
        "55 00004001 4b 0002 74 00000001 31 6e 4e 0002 74 00000001 32 74 00000002 6162",
        "55 00004001 4f 0001 6e 4e 0001 6e",
        "44 00004001 4b 0002 74 00000001 31 6e",
        "54 00000002 00 00004001 00004002",
        "4f 0000000001a2b3c8 6f7468657200",
        "4d 00 0000000001a2b3c8 766967696c00 00000003 616263",
    ].map { bytes($0) }

    private static func bytes(_ text: String) -> [UInt8] {
        let digits = text.filter { $0 != " " }.map { $0.hexDigitValue ?? 0 }
        return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] * 16 + digits[$0 + 1]) }
    }

    private func decoded(_ bytes: [UInt8]) -> PgOutput? { bytes.withUnsafeBytes { PgOutput($0) } }

    func testRecordedMessagesAreDecoded() {
        XCTAssertEqual(
            Self.recorded.map { decoded($0) },
            [
                .begin(transaction: 0x317), .commit(end: 0x1a2_b3f8), .relation(0x4001), .other,
                .row(.insert, relation: 0x4001), .row(.update, relation: 0x4001),
                .row(.update, relation: 0x4001), .row(.update, relation: 0x4001),
                .row(.delete, relation: 0x4001), .truncate(relations: [0x4001, 0x4002]), .other, .other,
            ])
    }

    func testIncompleteAndLongerMessagesAreMalformed() {
        for message in Self.recorded {
            for count in 0..<message.count { XCTAssertNil(decoded(Array(message[..<count]))) }
            XCTAssertNil(decoded(message + [0]))
        }
    }

    func testNoBytesTrap() {
        var random = SeededRandom.seeded()
        for _ in 0..<RandomTestSettings.rounds(20_000) {
            var message = random.pick(Self.recorded)
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let index = Int.random(in: 0..<message.count, using: &random)
                message[index] = random.pick([
                    0, 0x4e, 0x74, 0x7f, 0xff, UInt8.random(in: 0...255, using: &random),
                ])
            }
            _ = decoded(message)
            _ = message.withUnsafeBytes { ReplicationFrame($0) }
        }
    }

    func testFramesAreDecoded() throws {
        let message = Self.bytes("77 0000000000000001 0000000000000002 0000000000000003 42")
        message.withUnsafeBytes { bytes in
            guard case .output(let output)? = ReplicationFrame(bytes) else { return XCTFail("no output") }
            XCTAssertEqual(Array(output), [0x42])
        }
        let keepalive = Self.bytes("6b 0000000000000007 0000000000000003 01")
        keepalive.withUnsafeBytes { bytes in
            guard case .keepalive(let position, let reply)? = ReplicationFrame(bytes) else {
                return XCTFail("no keepalive")
            }
            XCTAssertEqual(position, 7)
            XCTAssertTrue(reply)
        }
    }

    func testACommitHasAllRelationsOfItsTransaction() {
        var assembler = CommitAssembler()
        for message: PgOutput in [
            .begin(transaction: 7), .relation(1), .row(.insert, relation: 1), .row(.update, relation: 1),
            .other, .truncate(relations: [2, 3]),
        ] { XCTAssertEqual(assembler.receive(message), .incomplete) }
        XCTAssertEqual(
            assembler.receive(.commit(end: 9)),
            .commit(StreamedCommit(transaction: 7, relations: [1, 2, 3]), end: 9))
        XCTAssertEqual(assembler.receive(.row(.insert, relation: 1)), .malformed)
        XCTAssertEqual(assembler.receive(.commit(end: 9)), .malformed)
        XCTAssertEqual(assembler.receive(.begin(transaction: 8)), .incomplete)
        XCTAssertEqual(assembler.receive(.begin(transaction: 9)), .malformed)
    }

    func testASilentStreamIsAskedAndThenLost() {
        let start = ContinuousClock.now
        var liveness = StreamLiveness(at: start)
        XCTAssertNil(liveness.check(at: start + .seconds(5)))
        XCTAssertEqual(liveness.check(at: start + .seconds(6)), .request)
        XCTAssertNil(liveness.check(at: start + .seconds(9)))
        liveness.didReceive(at: start + .seconds(9))
        XCTAssertNil(liveness.check(at: start + .seconds(14)))
        XCTAssertEqual(liveness.check(at: start + .seconds(15)), .request)
        XCTAssertEqual(liveness.check(at: start + .seconds(20)), .lose)
    }
}
