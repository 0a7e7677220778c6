import Foundation
import VigilStorage
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
        let digits: [UInt8] = text.compactMap { digit in digit.hexDigitValue.map { UInt8($0) } }
        return stride(from: 0, to: digits.count, by: 2).map { index -> UInt8 in
            digits[index] << 4 | digits[index + 1]
        }
    }

    private func decoded(_ bytes: [UInt8]) -> PgOutput? { bytes.withUnsafeBytes { PgOutput($0) } }

    func testRecordedMessagesAreDecoded() {
        func tuple(_ range: Range<Int>, isKey: Bool = false) -> PgOutput.Tuple {
            .init(isKey: isKey, range: range)
        }
        func row(_ kind: RowChange.Kind, old: PgOutput.Tuple? = nil, new: PgOutput.Tuple? = nil) -> PgOutput {
            .row(.init(kind: kind, relation: 0x4001, old: old, new: new))
        }
        XCTAssertEqual(
            Self.recorded.map { decoded($0) },
            [
                .begin(transaction: 0x317), .commit(end: 0x1a2_b3f8, time: 758_400_290_190_598),
                .relation(Self.relation), .other,
                row(.insert, new: tuple(6..<15)), row(.update, new: tuple(6..<15)),
                row(.update, old: tuple(6..<15, isKey: true), new: tuple(16..<31)),
                row(.update, old: tuple(6..<9), new: tuple(10..<13)),
                row(.delete, old: tuple(6..<15, isKey: true)), .truncate(relations: [0x4001, 0x4002]),
                .other, .other,
            ])
    }

    private static let relation = StreamedRelation(
        id: 0x4001,
        columns: [
            .init(name: "id", type: 23, isInIdentity: true), .init(name: "a", type: 25, isInIdentity: false),
        ], isIdentityFull: false)

    private static let targets = PublishedTables.Targets([
        .init(name: TableName(name: "t"), key: .init(columns: ["id"], isRowID: true))
    ])

    private func message(_ row: String) -> (PgOutput.Row?, [UInt8]) {
        let bytes = Self.bytes(row)
        guard case .row(let row)? = decoded(bytes) else { return (nil, bytes) }
        return (row, bytes)
    }

    /// Returns the change of a row with the columns `id` and `a`.
    private func text(_ row: String, isIdentityFull: Bool = false) -> String? {
        let (row, bytes) = message(row)
        let relation = StreamedRelation(
            id: 0x4001,
            columns: Self.relation.columns.map {
                .init(name: $0.name, type: $0.type, isInIdentity: isIdentityFull || $0.isInIdentity)
            }, isIdentityFull: isIdentityFull)
        let kept = row.flatMap { row in bytes.withUnsafeBytes { StreamedRow(row, relation, in: $0) } }
        guard let kept else { return nil }
        let images = StreamedRowImages()
        var text: String?
        images.report(ReportedRow(row: kept, targets: Self.targets)) { text = $0.text }
        return text
    }

    func testValuesThatWereNotSentAreUnknown() {
        let (one, two) = ("74 00000001 31", "74 00000001 32")
        let large = "74 00001388" + String(repeating: " 61", count: 5_000)
        func row(_ kind: String, _ old: String? = nil, _ new: String? = nil) -> String {
            kind + " 00004001" + (old.map { " \($0)" } ?? "") + (new.map { " 4e 0002 \($0)" } ?? "")
        }
        let changes: [(String, Bool, String)] = [
            (row("49", nil, "\(one) \(two)"), false, "insert t [1]: id 1, a '2'"),
            (row("49", nil, "\(one) 6e"), false, "insert t [1]: id 1, a NULL"),
            // The identity of an update without old values has not changed.
            (row("55", nil, "\(one) \(two)"), false, "update t [1]: id 1, a ?→'2'"),
            (row("55", nil, "\(one) 75"), false, "update t [1]: id 1, a ?="),
            (row("55", nil, "75 75"), false, "update t [?]: id ?=, a ?="),
            // Columns outside of the identity are sent as NULL.
            (row("55", "4b 0002 \(one) 6e", "\(two) 6e"), false, "update t [1→2]: id 1→2, a ?→NULL"),
            (row("44", "4b 0002 \(one) 6e"), false, "delete t [1]: id 1, a ?"),
            (row("55", "4f 0002 \(one) 6e", "\(one) \(two)"), true, "update t [1]: id 1, a NULL→'2'"),
            (row("55", "4f 0002 \(one) \(two)", "\(one) 75"), true, "update t [1]: id 1, a '2'"),
            (row("44", "4f 0002 \(one) 6e"), true, "delete t [1]: id 1, a NULL"),
            // An identity that is always sent, and was not.
            (row("55", nil, "\(one) \(two)"), true, "update t [?→1]: id ?→1, a ?→'2'"),
            // Large values.
            (row("49", nil, "\(one) \(large)"), false, "insert t [1]: id 1, a ?"),
            (row("55", "4f 0002 \(one) \(large)", "\(two) \(large)"), true, "update t [1→2]: id 1→2, a ?="),
            (row("55", "4f 0002 \(one) \(large)", "\(one) 75"), true, "update t [1]: id 1, a ?="),
            (
                row("55", "4f 0002 \(one) \(large)", "\(one) \(large.replacing("61", with: "62"))"), true,
                "update t [1]: id 1, a ?"
            ),
            (row("55", "4f 0002 \(one) \(large)", "\(one) \(two)"), true, "update t [1]: id 1, a ?→'2'"),
        ]
        for (bytes, isIdentityFull, expected) in changes {
            XCTAssertEqual(text(bytes, isIdentityFull: isIdentityFull), expected, bytes)
        }
        XCTAssertNil(text("49 00004001 4e 0001 \(one)"))
    }

    func testIncompleteAndLongerMessagesAreMalformed() {
        for message in Self.recorded {
            for count in 0..<message.count { XCTAssertNil(decoded(Array(message[..<count]))) }
            XCTAssertNil(decoded(message + [0]))
        }
    }

    func testNoBytesTrap() {
        var random = SeededRandom.seeded()
        let large = "74 00001388" + String(repeating: " 61", count: 5_000)
        let messages =
            Self.recorded + [
                Self.bytes("55 00004001 4f 0002 74 00000001 31 \(large) 4e 0002 74 00000001 31 \(large)")
            ]
        for _ in 0..<RandomTestSettings.rounds(10_000) {
            var message = random.pick(messages)
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                // Long values have no structure inside.
                let index = Int.random(in: 0..<min(message.count, 40), using: &random)
                message[index] = random.pick([
                    0, 0x4e, 0x74, 0x7f, 0xff, UInt8.random(in: 0...255, using: &random),
                ])
            }
            if case .row(let row)? = decoded(message) {
                message.withUnsafeBytes { bytes in
                    guard let row = StreamedRow(row, Self.relation, in: bytes) else { return }
                    StreamedRowImages().report(ReportedRow(row: row, targets: Self.targets)) { _ in }
                }
            }
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

    func testARowHasTheLastDefinitionOfItsRelation() throws {
        var assembler = CommitAssembler()
        let (insert, bytes) = message("49 00004001 4e 0002 74 00000001 31 6e")
        let row = try XCTUnwrap(insert)
        let renamed = StreamedRelation(
            id: 0x4001,
            columns: [
                .init(name: "id", type: 23, isInIdentity: true),
                .init(name: "b", type: 25, isInIdentity: false),
            ], isIdentityFull: false)
        let messages: [PgOutput] = [
            .begin(transaction: 7), .relation(Self.relation), .row(row), .relation(renamed), .row(row),
            .commit(end: 9),
        ]
        var last = CommitAssembler.Answer.incomplete
        for message in messages { last = bytes.withUnsafeBytes { assembler.receive(message, $0) } }
        guard case .commit(let commit) = last else { return XCTFail("no commit") }
        XCTAssertEqual(commit.rows.map(\.relation), [Self.relation, renamed])
    }

    func testACommitHasAllChangesOfItsTransaction() throws {
        var assembler = CommitAssembler()
        func receive(_ message: PgOutput, _ bytes: [UInt8] = []) -> CommitAssembler.Answer {
            bytes.withUnsafeBytes { assembler.receive(message, $0) }
        }
        let (insert, bytes) = message("49 00004001 4e 0002 74 00000001 31 6e")
        let row = try XCTUnwrap(insert)
        var other = row
        other.relation = 7
        XCTAssertEqual(receive(.begin(transaction: 7)), .incomplete)
        XCTAssertEqual(receive(.relation(Self.relation)), .incomplete)
        XCTAssertEqual(receive(.row(row), bytes), .incomplete)
        // A relation without a definition.
        XCTAssertEqual(receive(.row(other), bytes), .incomplete)
        XCTAssertEqual(receive(.other), .incomplete)
        XCTAssertEqual(receive(.truncate(relations: [2, 3])), .incomplete)
        guard case .commit(let commit) = receive(.commit(end: 9)) else { return XCTFail("no commit") }
        XCTAssertEqual(commit.relations, [2, 3, 7])
        XCTAssertEqual(commit.rows.map(\.relation), [Self.relation])
        XCTAssertEqual(commit.end, 9)
        XCTAssertEqual(receive(.row(row), bytes), .malformed)
        XCTAssertEqual(receive(.commit(end: 9)), .malformed)
        // The definition is still known.
        XCTAssertEqual(receive(.begin(transaction: 8)), .incomplete)
        for _ in 0..<100_000 { XCTAssertEqual(receive(.row(row), bytes), .incomplete) }
        XCTAssertEqual(receive(.begin(transaction: 9)), .malformed)
        XCTAssertEqual(
            receive(.commit(end: 10)),
            .commit(StreamedCommit(transaction: 8, end: 10, relations: [0x4001])))
    }

    func testRowsOfRelationsWithAmbiguousColumnsAreNotKept() throws {
        let (insert, bytes) = message("49 00004001 4e 0002 74 00000001 31 6e")
        let row = try XCTUnwrap(insert)
        var assembler = CommitAssembler()
        bytes.withUnsafeBytes { bytes in
            _ = assembler.receive(.begin(transaction: 7), bytes)
            _ = assembler.receive(
                .relation(
                    StreamedRelation(
                        id: 0x4001,
                        columns: ["a", "A"].map { .init(name: $0, type: 23, isInIdentity: true) },
                        isIdentityFull: false)), bytes)
            _ = assembler.receive(.row(row), bytes)
            XCTAssertEqual(
                assembler.receive(.commit(end: 1), bytes),
                .commit(StreamedCommit(transaction: 7, end: 1, relations: [0x4001])))
        }
    }

    func testTheTimeOfACommitCanBeAnyNumber() {
        let now = Date(timeIntervalSince1970: 946_684_800 + 5)
        func lag(_ time: Int64) -> Duration {
            StreamedCommit(transaction: 1, time: time, relations: [1]).lag(at: now)
        }
        XCTAssertEqual(lag(3_000_000), .seconds(2))
        XCTAssertEqual(lag(.min), .zero)
        XCTAssertLessThan(lag(.max), .zero)
    }

    func testPositionsAreAcknowledgedWhenNothingArrivesOrTheServerWaits() {
        var acknowledgement = StreamAcknowledgement()
        func isDue(isRequested: Bool = false, isQuiet: Bool = false) -> Bool {
            acknowledgement.isDue(isRequested: isRequested, isQuiet: isQuiet)
        }
        XCTAssertFalse(isDue(isQuiet: true))
        XCTAssertTrue(acknowledgement.didReceive(upTo: 100))
        XCTAssertFalse(acknowledgement.didReceive(upTo: 100))
        // The position of a keepalive can be before that of a commit.
        XCTAssertFalse(acknowledgement.didReceive(upTo: 50))
        XCTAssertEqual(acknowledgement.received, 100)
        XCTAssertFalse(isDue())
        XCTAssertTrue(isDue(isQuiet: true))
        XCTAssertFalse(isDue(isQuiet: true))
        XCTAssertTrue(isDue(isRequested: true))
        XCTAssertTrue(acknowledgement.didReceive(upTo: 99 + StreamAcknowledgement.distance))
        XCTAssertFalse(isDue())
        XCTAssertTrue(acknowledgement.didReceive(upTo: 100 + StreamAcknowledgement.distance))
        XCTAssertTrue(isDue())
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
