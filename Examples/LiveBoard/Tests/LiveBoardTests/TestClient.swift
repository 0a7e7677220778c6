import Foundation
import NIOCore
import NIOPosix
import XCTest

/// A response that has ended.
struct TestResponse: Sendable {
    let head: String
    let body: String

    /// - Parameter text: The whole response, whose body is not chunked.
    init(_ text: String) throws {
        let end = try XCTUnwrap(text.range(of: "\r\n\r\n"), text)
        head = String(text[..<end.lowerBound])
        body = String(text[end.upperBound...])
    }

    var status: Int? {
        head.split(separator: " ").dropFirst().first.flatMap { Int($0) }
    }

    /// Returns the value of a header, whose name is in lower case.
    func header(_ name: String) -> String? {
        for line in head.components(separatedBy: "\r\n") where line.lowercased().hasPrefix("\(name): ") {
            return String(line.dropFirst(name.count + 2))
        }
        return nil
    }
}

extension RunningServer {
    func get(_ path: String, headers: String = "") async throws -> TestResponse {
        try await response(
            "GET \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\(headers)\r\n")
    }

    func post(_ body: String, headers: String) async throws -> TestResponse {
        try await response(
            "POST /runs HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                + "Content-Length: \(body.utf8.count)\r\n\(headers)\r\n\(body)")
    }

    /// Requests the events, and runs a closure that reads them. The client disconnects when the closure
    /// returns.
    func withClient(
        path: String = "/events", headers: String = "", _ body: (inout ResponseReader) async throws -> Void
    ) async throws {
        try await withConnection("GET \(path) HTTP/1.1\r\nHost: localhost\r\n\(headers)\r\n", body)
    }

    private func response(_ request: String) async throws -> TestResponse {
        var text = ""
        try await withConnection(request) { text = try await $0.readToEnd() }
        return try TestResponse(text)
    }

    private func withConnection(
        _ request: String, _ body: (inout ResponseReader) async throws -> Void
    ) async throws {
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
        try await channel.executeThenClose { inbound, outbound in
            try await outbound.write(ByteBuffer(string: request))
            var reader = ResponseReader(iterator: inbound.makeAsyncIterator())
            try await body(&reader)
        }
    }
}

/// Reads a response while it arrives.
struct ResponseReader {
    var iterator: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator
    /// The text that has arrived, and that was not returned yet.
    private var unread = ""

    init(iterator: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator) {
        self.iterator = iterator
    }

    /// Returns the text up to the end of a word that has not been read.
    mutating func read(through word: String) async throws -> String {
        while true {
            if let range = unread.range(of: word) {
                defer { unread = String(unread[range.upperBound...]) }
                return String(unread[..<range.upperBound])
            }
            guard try await readMore() else {
                XCTFail("The response ended without \(word): \(unread)")
                throw CancellationError()
            }
        }
    }

    /// Returns the text between two words that have not been read.
    mutating func read(through word: String, after start: String) async throws -> String {
        _ = try await read(through: start)
        return String(try await read(through: word).dropLast(word.count))
    }

    /// Returns the next value of a stream.
    mutating func value<Value: Decodable>(_ type: Value.Type) async throws -> Value {
        let json = try await read(through: "\n\n", after: "event: value\ndata: ")
        return try JSONDecoder().decode(type, from: Data(json.utf8))
    }

    /// Returns the id of the next event.
    mutating func id() async throws -> String { try await read(through: "\n", after: "id: ") }

    /// Returns the rest of the response, up to the end of the connection.
    mutating func readToEnd() async throws -> String {
        while try await readMore() {}
        return unread
    }

    private mutating func readMore() async throws -> Bool {
        guard let buffer = try await iterator.next() else { return false }
        unread += String(buffer: buffer)
        return true
    }
}
