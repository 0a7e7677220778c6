import Foundation
import Vigil

/// The events about the list of all runs: the whole list once, then only its changes.
enum RunList {
    /// A change that a browser applies to the list that it shows.
    ///
    /// It removes the items at the offsets ``removed`` and those that moved, inserts the others in ascending
    /// order of their offsets in the new list, and then replaces those that were updated.
    struct Patch: Codable, Equatable, Sendable {
        struct Item: Codable, Equatable, Sendable {
            var index: Int
            var html: String
        }

        struct Move: Codable, Equatable, Sendable {
            var from: Int
            var to: Int
        }

        var removed: [Int]
        var inserted: [Item]
        var moved: [Move]
        var updated: [Item]

        init(from old: ObservedList<Run>, to new: ObservedList<Run>) {
            let change = new.changes(since: old)
            removed = Array(change.removed.ranges.joined())
            inserted = change.inserted.ranges.joined().map { Item(index: $0, html: Page.item(new[$0]).text) }
            moved = change.moved.map { Move(from: $0.from, to: $0.to) }
            updated = change.updated.subtracting(change.inserted).ranges.joined().map {
                Item(index: $0, html: Page.item(new[$0]).text)
            }
        }
    }

    /// Returns the event that leads from one list to another.
    ///
    /// - Parameter old: The list that the browser shows; `nil` if it shows none.
    static func event(_ new: ObservedList<Run>, since old: ObservedList<Run>?) -> String {
        guard let old else { return ServerSentEvent.text(name: "list", data: Page.items(new).text) }
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        do {
            let patch = try encoder.encode(Patch(from: old, to: new))
            return ServerSentEvent.text(name: "patch", data: String(decoding: patch, as: UTF8.self))
        } catch {
            // Numbers and texts can be encoded.
            return event(new, since: nil)
        }
    }
}
