/// A pointer that several threads share.
///
/// The owner of the memory guarantees that this is safe: the memory is immutable, or the C library
/// synchronizes its uses. Each use names the guarantee.
// The owner is the guard.
package struct SendablePointer<Pointer>: @unchecked Sendable {
    package let pointer: Pointer

    package init(_ pointer: Pointer) { self.pointer = pointer }
}
