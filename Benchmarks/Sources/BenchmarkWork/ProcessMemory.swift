import CReference
import Foundation

/// What memory this process has.
public enum ProcessMemory {
    /// What is allocated and not freed, in bytes, as the allocator counts it.
    public static var allocatedBytes: Int { Int(reference_allocated_bytes()) }

    /// The resident memory, in bytes.
    public static var residentBytes: Int { status("VmRSS:") ?? 0 }

    /// The most that the resident memory has been, in bytes.
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
