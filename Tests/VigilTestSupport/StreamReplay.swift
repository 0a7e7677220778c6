import Foundation
public import Vigil

/// A client of an event stream, which shows the rows that the JSON of the events describes.
public struct StreamReplay<Row: Decodable & Equatable & Sendable>: Sendable {
    private struct Patch: Decodable {
        struct Move: Decodable {
            let from: Int
            let to: Int
        }
        struct Entry: Decodable {
            let at: Int
            let row: Row
        }
        let removed: [Int]
        let moved: [Move]
        let inserted: [Entry]
        let updated: [Entry]
    }

    /// The shown rows; one for values.
    public private(set) var rows: [Row] = []
    /// The id of the last event that has one.
    public private(set) var id: String?

    /// Creates a client that shows nothing.
    public init() {}

    /// Shows an event. A patch must apply to what is shown.
    public mutating func show(_ event: StreamEvent) throws {
        let data = Data(event.data)
        switch event.kind {
        case .list: rows = try JSONDecoder().decode([Row].self, from: data)
        case .value: rows = [try JSONDecoder().decode(Row.self, from: data)]
        case .patch: apply(try JSONDecoder().decode(Patch.self, from: data))
        case .comment: break
        }
        id = event.id ?? id
    }

    private mutating func apply(_ patch: Patch) {
        let moved = patch.moved.map { (at: $0.to, row: rows[$0.from]) }
        let leaving = Set(patch.removed + patch.moved.map(\.from))
        rows = rows.indices.filter { !leaving.contains($0) }.map { rows[$0] }
        let entering = patch.inserted.map { (at: $0.at, row: $0.row) } + moved
        for entry in entering.sorted(by: { $0.at < $1.at }) { rows.insert(entry.row, at: entry.at) }
        for entry in patch.updated { rows[entry.at] = entry.row }
    }
}
