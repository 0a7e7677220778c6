import XCTest

@testable import LiveBoard

final class MailboxTests: XCTestCase {
    func testEventsHaveALineForEachLineOfData() {
        XCTAssertEqual(
            ServerSentEvent.text(name: "board", data: "a\nb\r\nc\rd\n"),
            "event: board\ndata: a\ndata: b\ndata: c\ndata: d\ndata: \n\n")
    }

    func testASlowBrowserReceivesTheNewestOfEachEvent() async {
        let mailbox = Mailbox()
        for number in 1...1000 {
            mailbox.put(board: "board \(number)\n")
            mailbox.put(status: "status \(number)\n")
        }
        let first = await mailbox.next()
        XCTAssertEqual(first, "board 1000\nstatus 1000\n")
        mailbox.put(status: "status 1001\n")
        let second = await mailbox.next()
        XCTAssertEqual(second, "status 1001\n")
    }

    func testTheBoardIsTheFirstEvent() async {
        let mailbox = Mailbox()
        mailbox.put(status: "status\n")
        async let first = mailbox.next()
        mailbox.put(status: "newer status\n")
        mailbox.put(board: "board\n")
        let text = await first
        XCTAssertEqual(text?.hasPrefix("board\n"), true, text ?? "nil")
    }

    func testAWaitingBrowserIsResumed() async {
        let mailbox = Mailbox()
        async let first = mailbox.next()
        await Task.yield()
        mailbox.put(board: "board\n")
        let text = await first
        XCTAssertEqual(text, "board\n")
    }

    func testKeepAlivesAreSentOnlyIfThereIsNoOtherEvent() async {
        let mailbox = Mailbox()
        mailbox.keepAlive()
        let idle = await mailbox.next()
        XCTAssertEqual(idle, ": keep-alive\n\n")
        mailbox.keepAlive()
        mailbox.put(board: "board\n")
        let busy = await mailbox.next()
        XCTAssertEqual(busy, "board\n")
        mailbox.put(board: "next board\n")
        let last = await mailbox.next()
        XCTAssertEqual(last, "next board\n")
    }

    func testAFailureIsTheLastEvent() async {
        let mailbox = Mailbox()
        mailbox.put(board: "board\n")
        mailbox.fail("failure\n")
        mailbox.put(board: "next board\n")
        let failure = await mailbox.next()
        XCTAssertEqual(failure, "failure\n")
        let end = await mailbox.next()
        XCTAssertNil(end)
    }

    func testAFinishedMailboxSendsNothing() async {
        let mailbox = Mailbox()
        mailbox.put(board: "board\n")
        mailbox.finish()
        let end = await mailbox.next()
        XCTAssertNil(end)
    }

    func testCancellationEndsTheWait() async {
        let mailbox = Mailbox()
        let task = Task { await mailbox.next() }
        task.cancel()
        let end = await task.value
        XCTAssertNil(end)
    }
}
