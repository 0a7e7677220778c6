#if SQLCipher
    import CVigilSQLite
    package import VigilStorage

    /// The key of an encrypted database.
    ///
    /// ```swift
    /// let backend = SQLCipherBackend(key: .passphrase(secret))
    /// ```
    ///
    /// A key never appears in descriptions, dumps or error messages. Its bytes are overwritten when the last
    /// copy of the value is released. The original string or array belongs to the program, which can only
    /// shorten its lifetime: to keep a key in memory no longer than necessary, pass ``SQLCipherBackend`` a
    /// closure instead.
    public struct CipherKey: Sendable, Hashable {
        private let text: WipedBytes
        /// A description of the mistake, if the key cannot be used.
        let mistake: String?

        /// Returns a key to be derived from a passphrase by SQLCipher (PBKDF2).
        ///
        /// The passphrase is used byte by byte, in UTF-8: different Unicode normal forms of one text are
        /// different passphrases. It must not be empty.
        public static func passphrase(_ passphrase: String) -> CipherKey {
            var passphrase = passphrase
            return passphrase.withUTF8 { CipherKey(passphrase: UnsafeRawBufferPointer($0)) }
        }

        /// Returns a key to be derived from a passphrase by SQLCipher. Its bytes must not be empty.
        public static func passphrase(bytes: [UInt8]) -> CipherKey {
            bytes.withUnsafeBytes { CipherKey(passphrase: $0) }
        }

        /// Returns a raw key of 32 bytes, or of 48: the key and the database's salt. Opening a database with
        /// any other number throws.
        public static func raw(_ bytes: [UInt8]) -> CipherKey {
            bytes.withUnsafeBytes { CipherKey(raw: $0) }
        }

        /// Returns a raw key with the salt of the database.
        ///
        /// - Parameters:
        ///   - bytes: the 32 bytes of the key.
        ///   - salt: the 16 bytes of the salt. SQLCipher stores it at the beginning of the file, unless the
        ///     file has a plaintext header.
        public static func raw(_ bytes: [UInt8], salt: [UInt8]) -> CipherKey {
            guard bytes.count == 32, salt.count == 16 else {
                return CipherKey(mistake: "a raw key must have 32 bytes, and its salt 16")
            }
            var joined = bytes + salt
            defer { joined.wipe() }
            return joined.withUnsafeBytes { CipherKey(raw: $0) }
        }

        private init(_ text: WipedBytes, mistake: String? = nil) {
            self.text = text
            self.mistake = mistake
        }

        private init(mistake: String) {
            self.init(WipedBytes(count: 0) { _ in }, mistake: mistake)
        }

        private init(passphrase: UnsafeRawBufferPointer) {
            self.init(
                WipedBytes(count: passphrase.count) { $0.copyMemory(from: passphrase) },
                mistake: passphrase.isEmpty ? "a passphrase must not be empty" : nil)
        }

        private init(raw bytes: UnsafeRawBufferPointer) {
            guard bytes.count == 32 || bytes.count == 48 else {
                self.init(mistake: "a raw key must have 32 bytes, or 48 with the salt")
                return
            }
            self.init(
                WipedBytes(count: 2 * bytes.count + 3) { text in
                    let digit = { (value: UInt8) in value + (value < 10 ? 0x30 : 0x57) }
                    text[0] = UInt8(ascii: "x")
                    text[1] = UInt8(ascii: "'")
                    for (index, byte) in bytes.enumerated() {
                        text[2 * index + 2] = digit(byte >> 4)
                        text[2 * index + 3] = digit(byte & 15)
                    }
                    text[text.count - 1] = UInt8(ascii: "'")
                })
        }

        /// Calls a closure with the bytes to pass to SQLCipher: the passphrase, or `x'…'` for a raw key.
        ///
        /// - Throws: `StorageError.Code.misuse` if the key cannot be used.
        package func withBytes<T>(
            _ body: (UnsafeRawBufferPointer) throws(StorageError) -> T
        ) throws(StorageError) -> T {
            if let mistake { throw StorageError(.misuse, mistake) }
            return try text.withBytes(body)
        }
    }

    extension CipherKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
        /// A fixed text without the key.
        public var description: String { "CipherKey(…)" }
        /// A fixed text without the key.
        public var debugDescription: String { description }
        /// A mirror without children, to keep the key out of dumps.
        public var customMirror: Mirror { Mirror(self, children: []) }
    }

    /// Bytes to be overwritten when they are released.
    private final class WipedBytes: Sendable, Hashable, CustomReflectable {
        // The memory is immutable between the initializer and the deinitializer.
        private let memory: SendablePointer<UnsafeMutableRawBufferPointer>
        private var bytes: UnsafeMutableRawBufferPointer { memory.pointer }

        init(count: Int, _ fill: (UnsafeMutableRawBufferPointer) -> Void) {
            memory = SendablePointer(.allocate(byteCount: count, alignment: 1))
            fill(bytes)
        }

        deinit {
            bytes.wipe()
            bytes.deallocate()
        }

        func withBytes<T>(
            _ body: (UnsafeRawBufferPointer) throws(StorageError) -> T
        ) throws(StorageError) -> T {
            try body(UnsafeRawBufferPointer(bytes))
        }

        static func == (a: WipedBytes, b: WipedBytes) -> Bool { a.bytes.elementsEqual(b.bytes) }

        func hash(into hasher: inout Hasher) {
            hasher.combine(bytes: UnsafeRawBufferPointer(bytes))
        }

        var customMirror: Mirror { Mirror(self, children: []) }
    }

    extension UnsafeMutableRawBufferPointer {
        fileprivate func wipe() {
            if let baseAddress { vigil_wipe(baseAddress, count) }
        }
    }

    extension [UInt8] {
        package mutating func wipe() {
            withUnsafeMutableBytes { $0.wipe() }
        }
    }
#endif
