import Vigil
import XCTest

@testable import LiveBoard

final class FormTests: XCTestCase {
    private let form = "Content-Type: application/x-www-form-urlencoded\r\n"

    func testAValidFormAddsARunAndRedirectsToThePage() async throws {
        try await RunningServer.run { [form] server in
            let response = try await server.post(
                "runner=%3Cb%3E%26%22+Lovelace&kilometers=7%2C5", headers: form)
            XCTAssertEqual(response.status, 303)
            XCTAssertEqual(response.header("location"), "/")
            let page = try await server.get("/")
            XCTAssertEqual(page.status, 200)
            XCTAssertEqual(page.header("content-type"), "text/html; charset=utf-8")
            XCTAssertEqual(
                page.header("content-security-policy")?.hasPrefix("default-src 'none'; script-src 'self';"),
                true)
            XCTAssertTrue(
                page.body.contains("<span class=\"name\">&lt;b&gt;&amp;&quot; Lovelace</span>"), page.body)
            XCTAssertTrue(page.body.contains("<span id=\"total\">7.5</span>"), page.body)
            let runs = try await server.database.read { db in try Run.fetchAll(db) }
            XCTAssertEqual(runs.map(\.runner), ["<b>&\" Lovelace"])
            XCTAssertEqual(runs.map(\.meters), [7500])
        }
    }

    func testInvalidFormsAreRefusedWithAMessage() async throws {
        try await RunningServer.run { [form] server in
            for body in ["runner=++&kilometers=7", "kilometers=7", ""] {
                let response = try await server.post(body, headers: form)
                XCTAssertEqual(response.status, 400, body)
                XCTAssertEqual(response.body, "Enter the name of the runner.", body)
            }
            for body in ["runner[]=a&runner[x]=b", "runner[a]=b&kilometers=7"] {
                let response = try await server.post(body, headers: form)
                XCTAssertEqual(response.status, 400, body)
                XCTAssertEqual(response.body, "Send the fields of the form, URL-encoded.", body)
            }
            let count = try await server.database.read { db in try Run.fetchCount(db) }
            XCTAssertEqual(count, 0)
        }
    }

    func testWithoutJavaScriptThePageShowsTheMessageAndTheFields() async throws {
        try await RunningServer.run { [form] server in
            let response = try await server.post(
                "runner=%3Ci%3E&kilometers=far", headers: form + "Accept: text/html,application/xhtml+xml\r\n"
            )
            XCTAssertEqual(response.status, 400)
            XCTAssertTrue(response.body.hasPrefix("<!DOCTYPE html>"), response.body)
            let message = "Enter the distance as a number of kilometers, such as 7.5."
            XCTAssertTrue(response.body.contains(">\(message)</p>"), response.body)
            XCTAssertTrue(response.body.contains("value=\"&lt;i&gt;\""), response.body)
        }
    }

    func testLargeBodiesAreRefused() async throws {
        try await RunningServer.run { [form] server in
            let body = "kilometers=7&runner=" + String(repeating: "a", count: 100_000)
            let response = try await server.post(body, headers: form)
            XCTAssertEqual(response.status, 413)
            XCTAssertEqual(response.body, "The form is larger than 4096 bytes.")
        }
    }

    func testOtherTypesAndOtherSitesAreRefused() async throws {
        try await RunningServer.run { [form] server in
            let json = try await server.post("{}", headers: "Content-Type: application/json\r\n")
            XCTAssertEqual(json.status, 415)
            let run = "runner=Ada&kilometers=7"
            for site in ["cross-site", "same-site"] {
                let foreign = try await server.post(run, headers: form + "Sec-Fetch-Site: \(site)\r\n")
                XCTAssertEqual(foreign.status, 403, site)
            }
            let sameOrigin = try await server.post(run, headers: form + "Sec-Fetch-Site: same-origin\r\n")
            XCTAssertEqual(sameOrigin.status, 303)
        }
    }

    func testErrorsOfTheDatabaseAreReported() async throws {
        try await RunningServer.run { [form] server in
            try await server.database.write { db in try db.execute(sql: "ALTER TABLE run RENAME TO hidden") }
            for headers in [form, form + "Accept: text/html\r\n"] {
                let response = try await server.post("runner=Ada&kilometers=7", headers: headers)
                XCTAssertEqual(response.status, 500)
                XCTAssertTrue(response.body.hasPrefix("The run is not saved."), response.body)
                XCTAssertTrue(response.body.contains("no such table: run"), response.body)
            }
            let page = try await server.get("/")
            XCTAssertEqual(page.status, 500)
            XCTAssertTrue(page.body.hasPrefix("The server cannot read the database:"), page.body)
        }
    }

    func testAllPartsOfThePageAreServed() async throws {
        try await RunningServer.run { server in
            let types = [
                "/board.css": "text/css; charset=utf-8", "/board.js": "text/javascript; charset=utf-8",
            ]
            for (path, type) in types {
                let response = try await server.get(path)
                XCTAssertEqual(response.header("content-type"), type)
            }
            let status = try await server.get("/status")
            XCTAssertEqual(
                try JSONDecoder().decode(Broadcast.Status.self, from: Data(status.body.utf8)),
                Broadcast.Status(browsers: 0, observations: 0, fetches: 0, updates: 0))
            let absent = try await server.get("/absent")
            XCTAssertEqual(absent.status, 404)
        }
    }
}
