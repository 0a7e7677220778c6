import Foundation

/// A random number generator that generates the same numbers from the same seed.
struct SplitMix64: RandomNumberGenerator {
    let seed: UInt64
    private var state: UInt64

    init(seed: UInt64) {
        self.seed = seed
        state = seed
    }

    /// Returns a generator with the seed in the environment variable `VIGIL_SEED`, or with a random seed.
    static func seeded() -> SplitMix64 {
        let given = ProcessInfo.processInfo.environment["VIGIL_SEED"].flatMap { UInt64($0) }
        return SplitMix64(seed: given ?? .random(in: 0...UInt64.max))
    }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }

    /// Returns `true` with the probability 1 / `number`.
    mutating func once(in number: Int) -> Bool { Int.random(in: 0..<number, using: &self) == 0 }

    mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: 0..<elements.count, using: &self)]
    }

    /// Returns a random subset of the elements.
    mutating func some<Element: Hashable>(_ elements: [Element]) -> Set<Element> {
        Set(elements.filter { _ in once(in: 2) })
    }
}
