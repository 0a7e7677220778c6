import Foundation
import VigilTesting

/// A random number generator that knows its seed, for the messages of failed tests.
package struct SeededRandom: RandomNumberGenerator {
    package let seed: UInt64
    private var random: SplitMix64

    package init(seed: UInt64) {
        self.seed = seed
        random = SplitMix64(seed: seed)
    }

    /// Returns a generator with the seed in the environment variable `VIGIL_SEED`, or with a random seed.
    package static func seeded() -> SeededRandom {
        let given = ProcessInfo.processInfo.environment["VIGIL_SEED"].flatMap { UInt64($0) }
        return SeededRandom(seed: given ?? .random(in: 0...UInt64.max))
    }

    package mutating func next() -> UInt64 { random.next() }

    /// Returns `true` with the probability 1 / `number`.
    package mutating func once(in number: Int) -> Bool { Int.random(in: 0..<number, using: &self) == 0 }

    package mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: 0..<elements.count, using: &self)]
    }

    /// Returns a random subset of the elements.
    package mutating func some<Element: Hashable>(_ elements: [Element]) -> Set<Element> {
        Set(elements.filter { _ in once(in: 2) })
    }
}
