import Synchronization

/// The numbers of the section ids of all versions of a list. Trees and differences know the numbers only:
/// code generic over ids would look up type metadata at each step.
final class SectionIDs<ID: Hashable & Sendable>: Sendable {
    private struct Content {
        var numbers: [ID: Int] = [:]
        var ids: [ID] = []

        mutating func number(of id: ID) -> Int {
            if let number = numbers[id] { return number }
            ids.append(id)
            numbers[id] = ids.count - 1
            return ids.count - 1
        }
    }

    private let content = Mutex(Content())

    var count: Int { content.withLock { $0.ids.count } }

    func id(_ number: Int) -> ID { content.withLock { $0.ids[number] } }

    func ids(of runs: [SectionRun]) -> [ID] {
        content.withLock { known in runs.map { known.ids[$0.number] } }
    }

    /// Returns the runs of other sections with the numbers of this object.
    func runs(_ runs: [SectionRun], of other: SectionIDs) -> [SectionRun] {
        let ids = other.ids(of: runs)
        return content.withLock { known in
            zip(runs, ids).map { SectionRun(number: known.number(of: $1), count: $0.count) }
        }
    }

    /// Returns the sections of adjacent elements.
    func runs<Element>(of elements: UnsafeBufferPointer<Element>, by id: (Element) -> ID) -> [SectionRun] {
        var runs: [SectionRun] = []
        var last: ID?
        for element in elements {
            let id = id(element)
            if id == last {
                runs[runs.count - 1].count += 1
            } else {
                runs.append(SectionRun(number: content.withLock { $0.number(of: id) }, count: 1))
                last = id
            }
        }
        return runs
    }
}
