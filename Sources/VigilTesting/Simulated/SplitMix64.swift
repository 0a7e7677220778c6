/// A random number generator. The same seed produces the same numbers on every machine.
///
/// ```swift
/// var random = SplitMix64(seed: 42)
/// let dice = Int.random(in: 1...6, using: &random)
/// ```
public struct SplitMix64: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// Creates a generator with the given seed.
    public init(seed: UInt64) {
        state = seed
    }

    /// Returns the next random number.
    public mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var bits = state
        bits = (bits ^ (bits >> 30)) &* 0xbf58_476d_1ce4_e5b9
        bits = (bits ^ (bits >> 27)) &* 0x94d0_49bb_1331_11eb
        return bits ^ (bits >> 31)
    }
}
