package import Foundation
import Synchronization
package import VigilLists

/// How the values of a stream are encoded.
package struct StreamCoding<Value: Sendable>: Sendable {
    /// The kind of the events with whole values.
    let kind: StreamEvent.Kind
    /// Returns the JSON of a value.
    let encode: @Sendable (Value) throws -> Data
    /// Returns the JSON of the changes between two values; `nil` if they are equal. Without it, values are
    /// equal if their texts are.
    let patch: (@Sendable (_ old: Value, _ new: Value) throws -> Data?)?
}

/// Turns values into the states of a stream.
///
/// It keeps the last value, so that the versions continue when the observation ends and starts again.
package final class StreamEncoder<Value: Sendable>: Sendable {
    private struct State {
        var history: StreamHistory
        var last: (value: Value, state: StreamState)?
    }

    private let coding: StreamCoding<Value>
    private let state: Mutex<State>

    package init(
        _ coding: StreamCoding<Value>, historySize: Int = EventStream.defaultHistorySize,
        epoch: UInt64 = .random(in: .min ... .max)
    ) {
        self.coding = coding
        state = Mutex(
            State(history: StreamHistory(epoch: String(epoch, radix: 36), limit: historySize)))
    }

    /// Returns the state with a value. Equal values have the same state.
    package func state(with value: Value) throws -> StreamState {
        try state.withLock { state in
            let next: StreamState
            if let patch = coding.patch {
                next = try self.next(value, after: &state, patch: patch)
            } else {
                next = try self.next(value, after: &state)
            }
            state.last = (value, next)
            return next
        }
    }

    /// Returns the state with the result of a closure.
    ///
    /// - Throws: the error of the closure, or `CancellationError` if its task was cancelled in the meantime:
    ///   a later fetch may have encoded a newer value.
    package func state(withResultOf fetch: () async throws -> Value) async throws -> StreamState {
        let value = try await fetch()
        try Task.checkCancellation()
        return try state(with: value)
    }

    /// Returns the state with the next version of a list; the last one if it did not change.
    private func next(
        _ value: Value, after state: inout State, patch: (Value, Value) throws -> Data?
    ) throws -> StreamState {
        var event: StreamEvent?
        if let last = state.last {
            guard let json = try patch(last.value, value) else { return last.state }
            event = StreamEvent(.patch, id: state.history.nextID, json: json)
        }
        state.history.append(event, wholeSize: state.last?.state.wholeSize)
        return StreamState(state.history) { [coding] id in
            StreamEvent(coding.kind, id: id, json: try coding.encode(value))
        }
    }

    /// Returns the state with the next value without patches; the last one if it did not change.
    private func next(_ value: Value, after state: inout State) throws -> StreamState {
        let event = StreamEvent(coding.kind, id: state.history.nextID, json: try coding.encode(value))
        if let last = state.last?.state, try last.wholeEvent().data == event.data { return last }
        state.history.append(nil, wholeSize: nil)
        return StreamState(state.history) { _ in event }
    }
}

extension StreamCoding {
    /// The coding of whole values.
    package static func values(_ encode: @escaping @Sendable (Value) throws -> Data) -> StreamCoding {
        StreamCoding(kind: .value, encode: encode, patch: nil)
    }

    /// The coding of a list with patches.
    package static func list<Element>(
        _ encode: @escaping @Sendable (Element) throws -> Data
    ) -> StreamCoding where Value == ObservedList<Element> {
        StreamCoding(kind: .list) { list in
            try StreamJSON.array(list, encode)
        } patch: { old, new in
            let change = new.changes(since: old)
            return change.isEmpty ? nil : try StreamJSON.patch(change, to: new, encode)
        }
    }
}

/// A collection without an order of its elements.
private protocol UnorderedElements {
    func texts() throws -> [Data]
}

extension Set: UnorderedElements where Element: Encodable {
    fileprivate func texts() throws -> [Data] { try map { try StreamJSON.encode($0) } }
}

/// The JSON of lists and their changes, in the format of `vigil watch --patches`.
package enum StreamJSON {
    package static func encode(_ value: some Encodable) throws -> Data {
        if let set = value as? any UnorderedElements {
            return array(try set.texts().sorted { $0.lexicographicallyPrecedes($1) }) { $0 }
        }
        let encoder = JSONEncoder()
        // Otherwise, the order of keys can differ between equal values.
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(value)
    }

    fileprivate static func array<Element>(
        _ elements: some Sequence<Element>, _ encode: (Element) throws -> Data
    ) rethrows -> Data {
        var text = Data([UInt8(ascii: "[")])
        for element in elements {
            if text.count > 1 { text.append(UInt8(ascii: ",")) }
            text.append(try encode(element))
        }
        text.append(UInt8(ascii: "]"))
        return text
    }

    fileprivate static func patch<Element>(
        _ change: ListChange, to list: ObservedList<Element>, _ encode: (Element) throws -> Data
    ) rethrows -> Data {
        func rows(_ offsets: RangeSet<Int>) throws -> Data {
            try array(offsets.ranges.joined()) { offset in
                Data("{\"at\":\(offset),\"row\":".utf8) + (try encode(list[offset])) + Data("}".utf8)
            }
        }
        let removed = change.removed.ranges.joined().map { "\($0)" }.joined(separator: ",")
        let moved = change.moved.map { "{\"from\":\($0.from),\"to\":\($0.to)}" }.joined(separator: ",")
        var text = Data("{\"removed\":[\(removed)],\"moved\":[\(moved)],\"inserted\":".utf8)
        text.append(try rows(change.inserted))
        text.append(contentsOf: ",\"updated\":".utf8)
        text.append(try rows(change.updated))
        text.append(UInt8(ascii: "}"))
        return text
    }
}
