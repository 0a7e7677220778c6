import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import ServiceLifecycle
import Vigil

/// The routes of the page, and the application that serves them.
struct Server {
    /// The number of connections that are accepted at a time. Each open page is one.
    static let mostConnections = 12_000

    private static let failure = "event: failure\ndata: The server cannot read the database.\n\n"
    private static let wantsFields = "Send the fields of the form, URL-encoded."

    let database: DatabasePool
    let broadcast: Broadcast

    /// Returns the application, whose services end the event streams when it shuts down.
    func application(
        configuration: ApplicationConfiguration = ApplicationConfiguration(), logger: Logger,
        keepAliveInterval: Duration = .seconds(15),
        onServerRunning: @escaping @Sendable (any Channel) async -> Void = { _ in }
    ) -> some ApplicationProtocol {
        var configuration = configuration
        configuration.availableConnectionsDelegate = MaximumAvailableConnections(Self.mostConnections)
        return Application(
            router: router(), configuration: configuration,
            services: [KeepAlive(broadcast: broadcast, interval: keepAliveInterval)],
            onServerRunning: onServerRunning, logger: logger)
    }

    private func router() -> Router<BasicRequestContext> {
        let router = Router()
        router.get("/") { _, _ in
            do {
                return try await page(.ok)
            } catch {
                return text("The server cannot read the database: \(error)", status: .internalServerError)
            }
        }
        router.get("/board.css") { _, _ in text(Page.style, type: "text/css; charset=utf-8") }
        router.get("/board.js") { _, _ in text(Page.script, type: "text/javascript; charset=utf-8") }
        router.get("/events") { request, _ in eventStream(request, .board) }
        router.get("/list") { _, _ in text(Page.list().text, type: "text/html; charset=utf-8") }
        router.get("/list.js") { _, _ in text(Page.listScript, type: "text/javascript; charset=utf-8") }
        router.get("/list/events") { request, _ in
            eventStream(request) { query throws(BoardQuery.Invalid) in
                try .runs(runner: query["runner"], limit: query["limit"])
            }
        }
        router.get("/total/events") { request, _ in
            eventStream(request) { query throws(BoardQuery.Invalid) in try .total(of: query["runner"]) }
        }
        router.get("/health") { _, _ in
            do {
                try await database.read { db in _ = try Int.fetchOne(db, sql: "SELECT 1") }
                return text("ok\n")
            } catch {
                return text("\(error)\n", status: .serviceUnavailable)
            }
        }
        router.get("/metrics") { _, _ in text(metrics, type: "text/plain; version=0.0.4; charset=utf-8") }
        router.get("/status") { request, context in
            try JSONEncoder().encode(broadcast.status, from: request, context: context)
        }
        router.post("/runs") { request, _ in try await addRun(request) }
        return router
    }

    // MARK: - Events

    /// Returns the events of the query in an address, or a message about it.
    ///
    /// A server with accounts decides here whether the browser may observe the query.
    private func eventStream(
        _ request: Request, _ parse: ([String: String]) throws(BoardQuery.Invalid) -> BoardQuery
    ) -> Response {
        var query: [String: String] = [:]
        for (name, value) in request.uri.queryParameters { query[String(name)] = String(value) }
        do throws(BoardQuery.Invalid) {
            return eventStream(request, try parse(query))
        } catch {
            return text(error.message, status: .badRequest)
        }
    }

    /// Returns a response that ends when the browser disconnects, when the server shuts down, or after an
    /// error.
    private func eventStream(_ request: Request, _ query: BoardQuery) -> Response {
        let client = broadcast.client(query, after: request.headers[.lastEventID])
        let body = ResponseBody { [broadcast] writer in
            try await request.body.consumeWithInboundCloseHandler { _ in
                try await withGracefulShutdownHandler {
                    try await writer.write(ByteBuffer(string: "retry: 2000\n\n"))
                    var events = client.makeAsyncIterator()
                    while true {
                        let event: StreamEvent?
                        do {
                            event = try await events.next()
                        } catch {
                            try await writer.write(ByteBuffer(string: Self.failure))
                            break
                        }
                        guard let event else { break }
                        // Suspends while the browser does not read.
                        try await writer.write(ByteBuffer(bytes: event.serverSentEvent))
                        if event.kind != .comment { broadcast.didSendEvent() }
                    }
                } onGracefulShutdown: {
                    client.finish()
                }
            } onInboundClosed: {
                client.finish()
            }
            try await writer.finish(nil)
        }
        // Without the last header, nginx and other proxies collect events before they send them.
        let headers: HTTPFields = [
            .contentType: "text/event-stream", .cacheControl: "no-store", .accelBuffering: "no",
        ]
        return Response(status: .ok, headers: headers, body: body)
    }

    /// The figures in the text format of Prometheus.
    private var metrics: String {
        let status = broadcast.status
        return """
            # TYPE liveboard_browsers gauge
            liveboard_browsers \(status.browsers)
            # TYPE liveboard_observations gauge
            liveboard_observations \(status.observations)
            # TYPE liveboard_events_total counter
            liveboard_events_total \(status.updates)
            \(broadcast.figures?.text ?? "")
            """
    }

    // MARK: - The form

    private func addRun(_ request: Request) async throws -> Response {
        var request = request
        // Pages of other ports and subdomains are of the same site. Some clients do not send the header.
        guard [nil, "same-origin", "none"].contains(request.headers[.secFetchSite]) else {
            return await refuse(request, .forbidden, "Only the form of this page can add runs.")
        }
        let type = request.headers[.contentType] ?? ""
        guard type.lowercased().hasPrefix("application/x-www-form-urlencoded") else {
            return await refuse(request, .unsupportedMediaType, Self.wantsFields)
        }
        let body: ByteBuffer
        do {
            body = try await request.collectBody(upTo: RunFields.longestBody)
        } catch is NIOTooManyBytesError {
            return await refuse(
                request, .contentTooLarge, "The form is larger than \(RunFields.longestBody) bytes.")
        }
        guard let fields = RunFields(body: body) else {
            return await refuse(request, .badRequest, Self.wantsFields)
        }
        do {
            let run = try NewRun(runner: fields.runner, kilometers: fields.kilometers)
            try await database.write { db in try run.insert(db) }
        } catch let error as InvalidForm {
            return await refuse(request, .badRequest, error.message, fields)
        } catch {
            return await refuse(
                request, .internalServerError, "The run is not saved. Try again. (\(error))", fields)
        }
        // After a reload, browsers repeat the GET request and not the POST request.
        return .redirect(to: "/", type: .normal)
    }

    /// Returns the page with a message, or only the message if the request does not accept HTML.
    private func refuse(
        _ request: Request, _ status: HTTPResponse.Status, _ message: String,
        _ fields: RunFields = RunFields()
    ) async -> Response {
        guard request.headers[.accept]?.contains("text/html") == true,
            let page = try? await page(status, refusal: (message, fields))
        else { return text(message, status: status) }
        return page
    }

    // MARK: - Responses

    private func page(
        _ status: HTTPResponse.Status, refusal: (message: String, fields: RunFields)? = nil
    ) async throws -> Response {
        let board = try await database.read(Board.fetch)
        let html = Page.document(board, broadcast.status, refusal: refusal)
        var response = text(html.text, type: "text/html; charset=utf-8", status: status)
        // Nothing of the page is loaded from elsewhere, and no script in a name would run.
        response.headers[.contentSecurityPolicy] =
            "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; "
            + "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
        return response
    }

    private func text(
        _ text: String, type: String = "text/plain; charset=utf-8", status: HTTPResponse.Status = .ok
    ) -> Response {
        Response(
            status: status,
            headers: [.contentType: type, .cacheControl: "no-store", .xContentTypeOptions: "nosniff"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }
}

/// Sends a comment to idle browsers from time to time, so that proxies do not close their connections.
private struct KeepAlive: Service {
    private static let parts = 50

    let broadcast: Broadcast
    let interval: Duration

    func run() async throws {
        try? await cancelWhenGracefulShutdown {
            while true {
                for part in 0..<Self.parts {
                    try await Task.sleep(for: interval / Self.parts)
                    broadcast.keepAlive(part: part, of: Self.parts)
                }
            }
        }
    }
}

extension HTTPField.Name {
    fileprivate static let secFetchSite = HTTPField.Name("Sec-Fetch-Site")!
    fileprivate static let lastEventID = HTTPField.Name("Last-Event-ID")!
    fileprivate static let accelBuffering = HTTPField.Name("X-Accel-Buffering")!
}
