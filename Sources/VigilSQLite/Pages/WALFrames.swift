/// The pages in a write-ahead log, in two states: before and after the commits being examined
/// (https://www.sqlite.org/walformat.html, 1.2).
package struct WALFrames {
    package static let logHeaderSize = 32
    package static let frameHeaderSize = 24

    let pageSize: Int
    private let salts: UInt64
    /// The last frame of each page in the old state.
    private var accepted: [UInt32: UInt32] = [:]
    /// The last frame of each page in the frames after the old state.
    private var pending: [UInt32: UInt32] = [:]
    /// The last frame of the new state.
    package private(set) var lastFrame: UInt32 = 0
    /// Whether the last frame and the one before have the same page, and both end a transaction.
    ///
    /// With `psow=0`, a program fills the last sector of a transaction with copies of the last frame. They
    /// are not transactions.
    package private(set) var mayRepeatFrame = false
    private var lastPage: UInt32 = 0
    /// The number of pages after the last frame, if it ends a transaction; else 0.
    private var pageCount: UInt32 = 0

    /// Creates an empty log.
    package init(pageSize: Int, salts: UInt64) {
        self.pageSize = pageSize
        self.salts = salts
    }

    /// The pages in the frames after the old state.
    package var changedPages: Dictionary<UInt32, UInt32>.Keys { pending.keys }

    /// Appends the next frame. Throws if it does not belong to this log.
    package mutating func append(frameHeader: UnsafeRawBufferPointer) throws(PageError) {
        let bytes = PageBytes(frameHeader)
        let page = try bytes.uint32(at: 0)
        let commitSize = try bytes.uint32(at: 4)
        guard page > 0, frameHeader.count >= Self.frameHeaderSize,
            frameHeader.loadUnaligned(fromByteOffset: 8, as: UInt64.self) == salts, lastFrame < .max
        else { throw .malformed }
        lastFrame += 1
        mayRepeatFrame = commitSize > 0 && commitSize == pageCount && page == lastPage
        lastPage = page
        pageCount = commitSize
        pending[page] = lastFrame
    }

    /// Makes the new state the old one.
    package mutating func accept() {
        if accepted.isEmpty {
            swap(&accepted, &pending)
        } else {
            for (page, frame) in pending { accepted[page] = frame }
        }
        pending.removeAll(keepingCapacity: accepted.count < 10_000)
    }

    /// The frame of a page in the old state; `nil` if the page is in the database file.
    package func oldFrame(of page: UInt32) -> UInt32? { accepted[page] }

    /// The frame of a page in the new state; `nil` if the page is in the database file.
    package func newFrame(of page: UInt32) -> UInt32? { pending[page] ?? accepted[page] }

    /// The offset of a frame's header in the log.
    package func offset(ofFrame frame: UInt32) -> Int64 {
        Int64(Self.logHeaderSize) + (Int64(frame) - 1) * Int64(Self.frameHeaderSize + pageSize)
    }

    /// The offset of the page in a frame.
    package func pageOffset(ofFrame frame: UInt32) -> Int64 {
        offset(ofFrame: frame) + Int64(Self.frameHeaderSize)
    }
}
