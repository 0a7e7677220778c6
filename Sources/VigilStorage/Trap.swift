// The traps of all modules. The standard library's `precondition` prints nothing in release builds: the
// process would end with "Illegal instruction".

/// Prints a message, the file and the line to standard error, in release builds too, and ends the process.
///
/// The message states what was violated.
@usableFromInline
@inline(never)
package func trap(_ message: String, file: StaticString = #file, line: UInt = #line) -> Never {
    fatalError(message, file: file, line: line)
}

/// Ends the process as ``trap(_:file:line:)`` does, unless a condition holds.
@inlinable  // bench: decode-rows
@inline(__always)
package func trap(
    unless condition: @autoclosure () -> Bool, _ message: @autoclosure () -> String,
    file: StaticString = #file, line: UInt = #line
) {
    if !condition() { trap(message(), file: file, line: line) }
}
