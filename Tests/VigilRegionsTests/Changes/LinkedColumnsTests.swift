import VigilRegions
import VigilStorage
import XCTest

/// The values that change sets keep for links.
final class LinkedColumnsTests: XCTestCase {
    private let message = TableName(name: "message")

    private func linkedRecorder() -> Recorder {
        var recorder = Recorder(DatabaseRegion(table: "message"))
        recorder.changes.linkedColumns = [message: [ColumnName("room")]]
        return recorder
    }

    private func images(from old: StorageValue?, to new: StorageValue?) -> FakeImages {
        FakeImages(["id", "Room"], old: old.map { [.integer(1), $0] }, new: new.map { [.integer(1), $0] })
    }

    private func update(_ rowID: Int64, from old: StorageValue, to new: StorageValue) -> ChangeEvent {
        .update("message", rowID, images: images(from: old, to: new))
    }

    private func values(_ changes: ChangeSet) -> Set<StorageValue>? {
        changes[message]?.values(of: .named("room")).map { Set($0) }
    }

    func testOldAndNewValuesAreKept() {
        var recorder = linkedRecorder()
        recorder.record(update(1, from: .integer(5), to: .integer(6)))
        recorder.record(update(2, from: .null, to: .text("a")))
        recorder.record(.row(.delete("message", 3), images: images(from: .real(2.5), to: nil)))
        let changes = recorder.changes.finish(in: &recorder.index).changes
        XCTAssertEqual(values(changes), [.integer(5), .integer(6), .text("a"), .real(2.5)])
        XCTAssertEqual(
            changes[message]?.values(of: .rowID).map { Set($0) }, [.integer(1), .integer(2), .integer(3)])
        XCTAssertNil(changes[message]?.values(of: .named("id")))
    }

    func testUnknownValuesAreNotKept() {
        for event in [
            ChangeEvent.insert("message", 2), .table(message),
            .row(
                .insert("message", 2),
                images: images(from: nil, to: .text(String(repeating: "a", count: 129)))),
        ] {
            var recorder = linkedRecorder()
            recorder.record(update(1, from: .integer(5), to: .integer(6)))
            recorder.record(event)
            XCTAssertNil(values(recorder.changes.finish(in: &recorder.index).changes))
        }
    }

    func testValuesOfManyRowsAreNotKept() {
        for (count, isKept) in [(256, true), (257, false)] {
            var recorder = linkedRecorder()
            for id in 1...Int64(count) {
                recorder.record(update(id, from: .integer(7), to: .integer(id % 2)))
            }
            let changes = recorder.changes.finish(in: &recorder.index).changes
            XCTAssertEqual(values(changes), isKept ? [.integer(0), .integer(1), .integer(7)] : nil)
        }
    }

    func testTheUnionHasTheValuesOfBoth() {
        var recorder = linkedRecorder()
        recorder.record(update(1, from: .integer(5), to: .integer(6)))
        var changes = recorder.changes.finish(in: &recorder.index).changes
        recorder.record(update(1, from: .integer(6), to: .integer(7)))
        changes.formUnion(recorder.changes.finish(in: &recorder.index).changes)
        XCTAssertEqual(values(changes), [.integer(5), .integer(6), .integer(7)])
        // Before the link was known, no values were kept.
        recorder.changes.linkedColumns = [:]
        recorder.record(update(1, from: .integer(7), to: .integer(8)))
        changes.formUnion(recorder.changes.finish(in: &recorder.index).changes)
        XCTAssertNil(values(changes))
    }
}
