import CReference
import Foundation

/// The memory of this process.
public enum ProcessMemory {
    /// The bytes that are allocated and not freed, as the allocator counts them.
    public static var allocatedBytes: Int { Int(reference_allocated_bytes()) }

    /// The resident memory, in bytes.
    public static var residentBytes: Int { status("VmRSS:") ?? 0 }

    /// The peak of the resident memory, in bytes.
    public static var peakBytes: Int { status("VmHWM:") ?? Int(reference_peak_bytes()) }

    private static func status(_ key: String) -> Int? {
        guard let text = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8) else { return nil }
        for line in text.split(separator: "\n") where line.hasPrefix(key) {
            return line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) }.map {
                $0 * 1_024
            }
        }
        return nil
    }
}
