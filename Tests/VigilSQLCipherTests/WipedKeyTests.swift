#if SQLCipher
    import Foundation
    import VigilSQLCipher
    import VigilStorage
    import XCTest

    /// Searches the memory of the process for keys that were released.
    final class WipedKeyTests: XCTestCase {
        /// A random key, which is stored with inverted bits so that the search does not find it here. Its
        /// length makes it unlikely that its memory is used again during the test.
        private let inverted = (0..<900).map { _ in UInt8.random(in: 0...255) }

        func testTheBytesAreOverwrittenWhenTheKeyIsReleased() throws {
            #if os(Linux)
                try XCTSkipIf(
                    dlsym(nil, "__tsan_init") != nil,
                    "the thread sanitizer reserves terabytes of memory, which would be searched for hours")
                var key: CipherKey? = makeKey()
                // Shows that the search finds keys.
                let address = try key?.withBytes { UInt(bitPattern: $0.baseAddress) } ?? 0
                XCTAssertEqual(try copiesInMemory(), 1, mapping(of: address))
                var copy = key
                key = nil
                XCTAssertEqual(try copiesInMemory(), 1, mapping(of: address))
                XCTAssertEqual(try copy?.withBytes { $0.count }, inverted.count)
                copy = nil
                XCTAssertEqual(try copiesInMemory(), 0)
            #else
                throw XCTSkip("needs /proc")
            #endif
        }

        private func makeKey() -> CipherKey {
            var bytes = [UInt8](unsafeUninitializedCapacity: inverted.count) { buffer, count in
                for index in inverted.indices { buffer[index] = ~inverted[index] }
                count = inverted.count
            }
            defer { bytes.wipe() }
            return CipherKey.passphrase(bytes: bytes)
        }

        #if os(Linux)
            /// Returns the number of copies of the second half of the key in memory that was allocated. The
            /// allocator overwrites the beginning of memory that was freed.
            private func copiesInMemory() throws -> Int {
                let maps = try memoryMap()
                let memory = open("/proc/self/mem", O_RDONLY)
                defer { close(memory) }
                XCTAssertGreaterThanOrEqual(memory, 0)
                let half = Array(inverted[(inverted.count / 2)...])
                var ranges: [Range<Int>] = []
                for line in maps.split(separator: "\n") {
                    let fields = line.split(separator: " ")
                    guard fields.count == 5 || fields[5] == "[heap]" else { continue }
                    let bounds = fields[0].split(separator: "-").compactMap { Int($0, radix: 16) }
                    guard fields[1].hasPrefix("rw"), bounds.count == 2 else { continue }
                    // A locked page divides a mapping, and a key can lie across the boundary.
                    if let last = ranges.last, last.upperBound == bounds[0] {
                        ranges[ranges.count - 1] = last.lowerBound..<bounds[1]
                    } else {
                        ranges.append(bounds[0]..<bounds[1])
                    }
                }
                return ranges.reduce(0) { $0 + count(of: half, memory, $1) }
            }

            /// Returns the mappings of the process, one per line. `String(contentsOfFile:)` reads only the
            /// first 4 KiB of this file.
            private func memoryMap() throws -> String {
                let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: "/proc/self/maps"))
                return String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
            }

            /// Returns the line of the memory map for an address.
            private func mapping(of address: UInt) -> String {
                let maps = (try? memoryMap()) ?? ""
                let line = maps.split(separator: "\n").first { line in
                    let bounds = line.prefix { $0 != " " }.split(separator: "-").compactMap {
                        UInt($0, radix: 16)
                    }
                    return bounds.count == 2 && bounds[0] <= address && address < bounds[1]
                }
                return "the key is at 0x\(String(address, radix: 16)): \(line ?? "not mapped")"
            }

            private func count(of pattern: [UInt8], _ memory: Int32, _ range: Range<Int>) -> Int {
                let size = 1 << 16
                // Shared memory belongs to a file, so the search leaves out this buffer.
                let buffer = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)
                guard let buffer, buffer != MAP_FAILED else { return -1 }
                defer { munmap(buffer, size) }
                var copies = 0
                // The last bytes of a piece are read again with the next one.
                for place in stride(
                    from: range.lowerBound, to: range.upperBound, by: size - pattern.count + 1)
                {
                    let length = pread(memory, buffer, min(size, range.upperBound - place), off_t(place))
                    var start = 0
                    while start + pattern.count <= length,
                        let found = memchr(buffer + start, Int32(~pattern[0]), length - start)
                    {
                        start = found - buffer
                        guard start + pattern.count <= length else { break }
                        let isEqual = pattern.indices.allSatisfy {
                            buffer.load(fromByteOffset: start + $0, as: UInt8.self) == ~pattern[$0]
                        }
                        if isEqual { copies += 1 }
                        start += 1
                    }
                }
                return copies
            }
        #endif
    }
#endif
