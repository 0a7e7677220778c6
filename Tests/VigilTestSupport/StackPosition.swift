/// The place of the caller's frame on the stack of its thread: equal for calls of equal depth.
@inline(never)
public func stackPosition() -> UInt {
    var local: UInt8 = 0
    return withUnsafePointer(to: &local) { UInt(bitPattern: $0) }
}
