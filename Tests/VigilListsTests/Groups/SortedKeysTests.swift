import VigilStorage
import VigilTestSupport
import XCTest

@testable import VigilLists

/// Compares keys that are edited in place with a sorted array.
final class SortedKeysTests: XCTestCase {
    private typealias Key = [UInt8]

    /// Keys with few different bytes: many are equal, begin alike, or begin with the greatest bytes.
    private func randomKey(_ random: inout SeededRandom, lengths: ClosedRange<Int>) -> Key {
        // The keys of a block are found by their first 8 bytes, if these differ.
        let beginning =
            lengths.lowerBound == 9
            ? Key(repeating: [0, 7].randomElement(using: &random) ?? 0, count: 8) : []
        let length = Int.random(in: lengths, using: &random) - beginning.count
        return beginning
            + (0..<length).map { _ in [0, 1, 0xfe, 0xff].randomElement(using: &random) ?? 0 }
    }

    private func list(_ keys: some Sequence<Key>) -> KeyList {
        var list = KeyList()
        for key in keys { key.withUnsafeBytes { list.append($0) } }
        return list
    }

    private func contents(_ keys: SortedKeys, offset: Int = 0, limit: Int = .max) -> [Key] {
        var contents: [Key] = []
        keys.forEachKey(offset: offset, limit: limit) { contents.append(Array($0)) }
        return contents
    }

    private func check(_ keys: SortedKeys, _ model: Set<Key>, _ prefix: Key, _ random: inout SeededRandom) {
        let sorted = model.sorted { $0.lexicographicallyPrecedes($1) }
        XCTAssertEqual(contents(keys), sorted)
        XCTAssertEqual(keys.count, sorted.count)
        XCTAssertEqual(keys.byteCount, sorted.reduce(0) { $0 + $1.count + 8 })
        let (offset, limit) = (
            Int.random(in: 0...sorted.count + 1, using: &random), Int.random(in: 0...9, using: &random)
        )
        XCTAssertEqual(
            contents(keys, offset: offset, limit: limit), Array(sorted.dropFirst(offset).prefix(limit)))
        let expected = sorted.filter { $0.starts(with: prefix) }
        prefix.withUnsafeBytes { prefix in
            var found: [Key] = []
            keys.forEachKey(beginningWith: prefix) { found.append(Array($0)) }
            XCTAssertEqual(found, expected)
            XCTAssertEqual(keys.withFirstKey(beginningWith: prefix) { Array($0) }, expected.first)
            XCTAssertEqual(keys.withLastKey(beginningWith: prefix) { Array($0) }, expected.last)
        }
    }

    func testEditsInPlace() {
        var random = SeededRandom.seeded()
        print("seed of \(name): VIGIL_SEED=\(random.seed)")
        for round in 0..<RandomTestSettings.rounds(4) {
            // Keys of one length are stored without their ends. Blocks of other keys change to that form.
            let lengths = [0...12, 12...12, 5...6, 9...13][round % 4]
            let first = (0..<([0, 1, 500].randomElement(using: &random) ?? 0)).map { _ in
                randomKey(&random, lengths: lengths)
            }
            var (keys, model) = (SortedKeys(), Set(first))
            keys.insert(list(first))
            check(keys, model, [], &random)
            for step in 0..<400 {
                // Grows, and then shrinks until blocks are joined.
                let isInsertion = Int.random(in: 0..<10, using: &random) < (step < 200 ? 8 : 1)
                let known = isInsertion ? [] : model.sorted { $0.lexicographicallyPrecedes($1) }
                let key = known.randomElement(using: &random) ?? randomKey(&random, lengths: lengths)
                key.withUnsafeBytes { isInsertion ? keys.insert($0) : keys.remove(beginningWith: $0) }
                if isInsertion { model.insert(key) } else { model.remove(key) }
                if step % 20 == 0 {
                    let prefix = randomKey(&random, lengths: 0...3)
                    check(keys, model, prefix, &random)
                }
            }
            // Removes the first key of each prefix, and keys that are not there.
            for _ in 0..<20 {
                let prefix = randomKey(&random, lengths: lengths.lowerBound == 9 ? 9...9 : 1...4)
                prefix.withUnsafeBytes { keys.remove(beginningWith: $0) }
                let first = model.filter { $0.starts(with: prefix) }.min { $0.lexicographicallyPrecedes($1) }
                if let first { model.remove(first) }
                check(keys, model, prefix, &random)
            }
            let more = (0..<30).map { _ in randomKey(&random, lengths: lengths) }
            keys.insert(list(more))
            model.formUnion(more)
            check(keys, model, [], &random)
            for key in model { key.withUnsafeBytes { keys.remove(beginningWith: $0) } }
            check(keys, [], [0xff], &random)
        }
    }

    /// Replaces keys whose first bytes identify them, and keys that begin alike.
    func testReplacementsInPlace() {
        var random = SeededRandom.seeded()
        print("seed of \(name): VIGIL_SEED=\(random.seed)")
        for round in 0..<RandomTestSettings.rounds(3) {
            // Keys without an identity, and keys that the beginnings of blocks distinguish or not.
            let identityLength = [nil, 2, 9][round % 3]
            func key(_ number: Int) -> Key {
                let identity = Key(repeating: 0, count: (identityLength ?? 2) - 2)
                let rest = randomKey(&random, lengths: round % 2 == 0 ? 0...5 : 3...3)
                return identity + [UInt8(number / 256), UInt8(number % 256)] + rest
            }
            let numbers = identityLength == nil ? 20 : 400
            let first = (0..<300).map { key($0 % numbers) }
            var (keys, model) = (SortedKeys(), Set(first))
            keys.insert(list(first))
            for step in 0..<60 {
                let sorted = model.sorted { $0.lexicographicallyPrecedes($1) }
                let removed = Set((0..<(step % 4)).compactMap { _ in sorted.randomElement(using: &random) })
                let place = (identityLength ?? 2) - 2
                let added = Set(removed.map { key(Int($0[place]) * 256 + Int($0[place + 1])) })
                let order: (Key, Key) -> Bool = { $0.lexicographicallyPrecedes($1) }
                keys.replace(
                    list(removed.sorted(by: order)), by: list(added.sorted(by: order)),
                    identityLength: identityLength)
                model = model.subtracting(removed).union(added)
                if step % 10 == 0 { check(keys, model, [], &random) }
            }
            check(keys, model, [0], &random)
        }
    }

    func testKeysAreCopiedWhenOneOfTwoCopiesChanges() {
        var keys = SortedKeys()
        keys.insert(list([[1], [2], [3]]))
        let copy = keys
        let two: Key = [2]
        two.withUnsafeBytes { keys.remove(beginningWith: $0) }
        XCTAssertEqual(contents(keys), [[1], [3]])
        XCTAssertEqual(contents(copy), [[1], [2], [3]])
    }
}
