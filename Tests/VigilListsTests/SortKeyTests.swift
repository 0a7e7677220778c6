import VigilLists
import VigilStorage
import VigilTestSupport
import XCTest

final class SortKeyTests: XCTestCase {
    private func key(
        _ values: [ModelValue], _ terms: [SortTerm]
    ) -> (bytes: [UInt8], failure: SortKeyFailure?) {
        var encoder = SortKeyEncoder(terms: terms)
        var keys = KeyBuffer()
        let failure = withCells(values) { encoder.append($0, to: &keys) }
        return (keys.list.bytes, failure)
    }

    private func order(_ a: [UInt8], _ b: [UInt8]) -> Int {
        a == b ? 0 : a.lexicographicallyPrecedes(b) ? -1 : 1
    }

    func testTheOrderOfKeysIsTheOrderOfTheDatabase() {
        var random = SeededRandom.seeded()
        print("seed of \(name): VIGIL_SEED=\(random.seed)")
        var compared = 0
        while compared < 60_000 {
            let terms = (0..<Int.random(in: 1...3, using: &random)).map { _ in random.term() }
            let folds = terms.contains { $0.collation == .nocase }
            let one = terms.map { _ in random.value(zeroBytes: !folds) }
            let two = one.map { random.once(in: 3) ? $0 : random.value(zeroBytes: !folds) }
            let expected =
                zip(terms.indices, terms).lazy
                .map { VigilListsTests.order(one[$0], two[$0], $1) }.first { $0 != 0 } ?? 0
            let (a, b) = (key(one, terms), key(two, terms))
            XCTAssertNil(a.failure)
            XCTAssertEqual(
                order(a.bytes, b.bytes).signum(), expected.signum(),
                "\(one), \(two), \(terms), VIGIL_SEED=\(random.seed)")
            compared += 1
        }
    }

    func testNoKeyIsTheBeginningOfAnotherOne() {
        var random = SeededRandom.seeded()
        print("seed of \(name): VIGIL_SEED=\(random.seed)")
        for _ in 0..<RandomTestSettings.rounds(2_500) {
            let term = [SortTerm(isDescending: random.once(in: 2))]
            let (a, b) = (key([random.value()], term).bytes, key([random.value()], term).bytes)
            if a != b { XCTAssertFalse(a.starts(with: b), "VIGIL_SEED=\(random.seed)") }
        }
    }

    func testIntegersAndRealsOfEqualValueHaveEqualKeys() {
        let term = [SortTerm()]
        for (integer, real) in [(0, 0.0), (0, -0.0), (-5, -5), (1 << 53, 0x1p53), (.min, -0x1p63)]
            as [(Int64, Double)]
        {
            XCTAssertEqual(key([.integer(integer)], term).bytes, key([.real(real)], term).bytes, "\(integer)")
        }
        XCTAssertNotEqual(key([.integer(.max)], term).bytes, key([.real(0x1p63)], term).bytes)
        XCTAssertEqual(key([.integer(7)], term).bytes.count, 11)
    }

    func testNotANumberIsNull() {
        XCTAssertEqual(key([.real(.nan)], [SortTerm()]).bytes, key([.null], [SortTerm()]).bytes)
    }

    func testAZeroByteInFoldedTextIsDoubtful() {
        let nocase = [SortTerm(collation: .nocase)]
        XCTAssertEqual(key([.text([0x61, 0, 0x62])], nocase).failure, .zeroByteInFoldedText)
        XCTAssertNil(key([.blob([0x61, 0, 0x62])], nocase).failure)
        XCTAssertNil(key([.text([0x61, 0, 0x62])], [SortTerm()]).failure)
    }

    func testLongValuesAreDoubtful() {
        let text = Array(repeating: UInt8(0x61), count: SortKeyEncoder.lengthLimit + 1)
        XCTAssertEqual(key([.text(text)], [SortTerm()]).failure, .tooLong)
        XCTAssertEqual(key([.blob(text)], [SortTerm()]).failure, .tooLong)
    }

    func testLargeIntegersBesideRealsAreDoubtfulIfTheLibraryRounds() {
        let large = ModelValue.integer(1 << 53 + 1)
        for (rounds, values, failure) in [
            (true, [large, .real(1)], SortKeyFailure.largeIntegerBesideReal),
            (true, [.real(1), large], .largeIntegerBesideReal),
            (true, [.integer(1 << 53), .real(1)], nil), (true, [large, large], nil),
            (false, [large, .real(1)], nil),
        ] {
            var encoder = SortKeyEncoder(terms: [SortTerm(), SortTerm()], roundsLargeIntegers: rounds)
            let failures = values.map { value in
                var keys = KeyBuffer()
                // The other term has numbers of its own.
                return withCells([value, large]) { encoder.append($0, to: &keys) }
            }
            XCTAssertEqual(failures.last, failure, "\(values)")
        }
    }
}

extension SortKeyEncoder {
    fileprivate mutating func append(
        _ cells: UnsafePointer<StorageCell>, to keys: inout KeyBuffer
    ) -> SortKeyFailure? {
        guard let length = byteCount(of: cells) else { return .tooLong }
        var key = keys.begin(ofAtMost: length)
        let failure = write(cells, to: &key)
        keys.end(key)
        return failure
    }
}
