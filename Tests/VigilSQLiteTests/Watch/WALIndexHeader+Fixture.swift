@testable import VigilSQLite

extension UInt64 {
    static let first = salts(after: 0)

    /// The salts of a log after a number of restarts. Each restart increments the first one, in big endian.
    static func salts(after restarts: UInt32) -> UInt64 {
        let words = [(1000 + restarts).bigEndian, UInt32(0x1234_5678) &* (restarts &+ 1)]
        return words.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) }
    }
}

extension WALIndexHeader {
    /// The header of a log with pages of 4,096 bytes.
    static func at(commit: UInt32, frame: UInt32, restarts: UInt32 = 0) -> WALIndexHeader {
        var words = [UInt32](repeating: 0, count: size / 4)
        words[0] = 3_007_000
        words[2] = commit
        words[4] = frame
        words[5] = 100
        words.withUnsafeMutableBytes { bytes in
            bytes[12] = 1
            bytes.storeBytes(of: 4096, toByteOffset: 14, as: UInt16.self)
            bytes.storeBytes(of: .salts(after: restarts), toByteOffset: 32, as: UInt64.self)
        }
        for index in stride(from: 0, to: 10, by: 2) {
            words[10] &+= words[index] &+ words[11]
            words[11] &+= words[index + 1] &+ words[10]
        }
        words.replaceSubrange(12..<24, with: words[0..<12])
        guard let header = words.withUnsafeBytes({ WALIndexHeader($0) }) else {
            preconditionFailure("the checksum of the header is wrong")
        }
        return header
    }
}
