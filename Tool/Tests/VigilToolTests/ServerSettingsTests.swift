import XCTest

@testable import vigil_tool

final class ServerSettingsTests: XCTestCase {
    func testPoolsMustNotCountAsStandbys() {
        var settings = ServerSettings(
            walLevel: "logical", isStandby: false, role: .init(text: "app", quoted: "app"),
            mayReplicate: true, hasReplicationRole: false,
            publication: .init(text: "vigil", quoted: "vigil"), hasPublication: true, isComplete: true,
            publishesRoots: false, slots: .init(count: 10, freeCount: 9),
            senders: .init(count: 10, freeCount: 9), synchronousStandbys: "one, two")
        XCTAssertEqual(settings.problems.map { $0.reason }, [])
        settings.synchronousStandbys = "ANY 1 (*)"
        XCTAssertEqual(
            settings.problems.map { $0.reason },
            [
                "synchronous_standby_names contains *, so a pool may take the place of a standby: name the standbys"
            ])
    }
}
