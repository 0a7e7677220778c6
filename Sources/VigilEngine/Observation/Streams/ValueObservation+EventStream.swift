public import Foundation
public import VigilLists

extension ValueObservation {
    /// Returns a stream of whole values as JSON.
    ///
    /// A value is sent if its JSON differs from the last one. The elements of a set are sorted. Sets within
    /// the value, and dictionaries with keys other than text and numbers, can have another JSON in an equal
    /// value: use sorted arrays instead.
    ///
    /// - Parameter reader: The database to observe.
    @_disfavoredOverload  // Arrays of identifiable elements have patches.
    public func eventStream(in reader: any DatabaseReader) -> EventStream where Reducer.Value: Encodable {
        eventStream(in: reader, encoding: StreamJSON.encode)
    }

    /// Returns a stream of whole values.
    ///
    /// - Parameters:
    ///   - reader: The database to observe.
    ///   - encode: Encodes each value once, as JSON. Its error ends the observation. It must not use the
    ///     stream.
    public func eventStream(
        in reader: any DatabaseReader, encoding encode: @escaping @Sendable (Reducer.Value) throws -> Data
    ) -> EventStream {
        eventStream(in: reader, StreamEncoder(.values(encode), historySize: 0)) { $0 }
    }

    /// Returns a stream of a list as JSON, with patches.
    ///
    /// - Parameters:
    ///   - reader: The database to observe.
    ///   - historySize: The size of the patches to keep for clients that connect again, in bytes.
    public func eventStream<Row: Encodable>(
        in reader: any DatabaseReader, historySize: Int = EventStream.defaultHistorySize
    ) -> EventStream where Reducer.Value == ObservedList<Row> {
        eventStream(in: reader, historySize: historySize, encodingRows: StreamJSON.encode)
    }

    /// Returns a stream of a list, with patches.
    ///
    /// - Parameters:
    ///   - reader: The database to observe.
    ///   - historySize: The size of the patches to keep for clients that connect again, in bytes.
    ///   - encode: Encodes a row, as JSON. Its error ends the sequences of the clients that need the text. It
    ///     must not use the stream.
    public func eventStream<Row>(
        in reader: any DatabaseReader, historySize: Int = EventStream.defaultHistorySize,
        encodingRows encode: @escaping @Sendable (Row) throws -> Data
    ) -> EventStream where Reducer.Value == ObservedList<Row> {
        eventStream(in: reader, StreamEncoder(.list(encode), historySize: historySize)) { $0 }
    }

    /// Returns a stream of an array as JSON, with patches: elements with equal ids are the same row.
    ///
    /// - Parameter reader: The database to observe.
    public func eventStream<Row: Encodable & Identifiable & Equatable & Sendable>(
        in reader: any DatabaseReader
    ) -> EventStream where Reducer.Value == [Row] {
        eventStream(
            in: reader, StreamEncoder(.list(StreamJSON.encode)), ObservedList.init(identifiable:))
    }

    private func eventStream<Value>(
        in reader: any DatabaseReader, _ encoder: StreamEncoder<Value>,
        _ content: @escaping @Sendable (Reducer.Value) -> Value
    ) -> EventStream {
        EventStream(
            map { try encoder.state(with: content($0)) }
                .shared(in: reader, scheduling: EventStream.scheduler))
    }
}

extension ObservedList where Element: Identifiable & Equatable {
    /// Creates a list not followed row by row.
    package init(identifiable elements: [Element]) {
        self.init(elements, traits: ElementTraits(comparing: Element.self, id: { AnyHashable($0.id) }))
    }
}
