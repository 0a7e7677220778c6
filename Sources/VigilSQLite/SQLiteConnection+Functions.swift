import CVigilSQLite
package import VigilStorage

extension SQLiteConnection: FunctionHosting {
    package func add(_ function: StorageFunction) throws(StorageError) {
        let handle = try openHandle()
        willChangeFunction(named: function.name)
        let hosted = HostedFunction(api: api, body: function.body, changes: changes)
        let entry: vigil_sqlite_function
        switch function.body {
        case .scalar: entry = hosted.entry({ HostedFunction.of($0)?.call($1, $2, $3) }, finish: nil)
        case .aggregate:
            entry = hosted.entry(
                { HostedFunction.of($0)?.step($1, $2, $3) }, finish: { HostedFunction.of($0)?.finish($1) })
        }
        let flags = SQLiteFunctionFlag.utf8 | (function.isPure ? SQLiteFunctionFlag.deterministic : 0)
        let code = vigil_sqlite_create_function(
            api, handle, function.name, argumentCount(function.argumentCount), flags, entry)
        guard code == SQLiteCode.ok else { throw functionError(code, function.name) }
    }

    package func removeFunction(named name: String, argumentCount count: Int?) throws(StorageError) {
        let handle = try openHandle()
        willChangeFunction(named: name)
        let code = api.pointee.create_function_v2(
            handle, name, argumentCount(count), SQLiteFunctionFlag.utf8, nil, nil, nil, nil, nil)
        guard code == SQLiteCode.ok else { throw functionError(code, name) }
    }

    /// -1 stands for any number. One that is too great stays so, for the library to refuse it.
    private func argumentCount(_ count: Int?) -> Int32 {
        count.map { Int32(clamping: max(0, $0)) } ?? -1
    }

    private func functionError(_ code: Int32, _ name: String) -> StorageError {
        StorageError(.init(rawValue: code), "cannot change the function \(name): \(lastError(code).message)")
    }

    package var isRunningWrite: Bool {
        guard let handle else { return false }
        var statement = api.pointee.next_stmt(handle, nil)
        while let current = statement {
            if api.pointee.stmt_busy(current) != 0, api.pointee.stmt_readonly(current) == 0 { return true }
            statement = api.pointee.next_stmt(handle, current)
        }
        return false
    }
}

/// A function as the library calls it.
private final class HostedFunction {
    private let api: UnsafePointer<vigil_sqlite_api>
    private let body: StorageFunction.Body
    /// Told before the program is called, which may run statements: what changed before must not seem theirs.
    private let changes: ChangeReporter

    init(api: UnsafePointer<vigil_sqlite_api>, body: StorageFunction.Body, changes: ChangeReporter) {
        self.api = api
        self.changes = changes
        self.body = body
    }

    /// How the library knows it. The library retains it from then on.
    func entry(
        _ call:
            @convention(c) (
                UnsafeMutableRawPointer?, OpaquePointer, Int32, UnsafeMutablePointer<OpaquePointer?>?
            ) -> Void,
        finish: (@convention(c) (UnsafeMutableRawPointer?, OpaquePointer) -> Void)?
    ) -> vigil_sqlite_function {
        vigil_sqlite_function(
            context: Unmanaged.passRetained(self).toOpaque(), call: call, finish: finish,
            release: { context in
                if let context { Unmanaged<HostedFunction>.fromOpaque(context).release() }
            })
    }

    static func of(_ context: UnsafeMutableRawPointer?) -> HostedFunction? {
        context.map { Unmanaged<HostedFunction>.fromOpaque($0).takeUnretainedValue() }
    }

    func call(
        _ context: OpaquePointer, _ count: Int32, _ values: UnsafeMutablePointer<OpaquePointer?>?
    ) {
        guard case .scalar(let function) = body else { return }
        changes.tellHeldChanges()
        callingProgram(context) {
            do throws(StorageError) {
                tell(try function(arguments(count, values)), context)
            } catch {
                tell(error, context)
            }
        }
    }

    /// Ends the calling statement if it writes and the program rolls its transaction back. The library ends it only if it
    /// has begun to change rows: else it would change them without a transaction, and never tell of a commit.
    private func callingProgram(_ context: OpaquePointer, _ call: () -> Void) {
        let rollbackCount = changes.rollbackCount
        call()
        guard rollbackCount != changes.rollbackCount, changes.connection?.isRunningWrite == true else {
            return
        }
        tell(StorageError(.abort, "the statement was ended by a rollback"), context)
    }

    // MARK: - Aggregates

    /// One group. The library keeps a pointer to it, retained until the group ends.
    private final class Group {
        let aggregation: any StorageAggregation
        var hasFailed = false

        init(_ aggregation: any StorageAggregation) { self.aggregation = aggregation }
    }

    private typealias Slot = UnsafeMutablePointer<Unmanaged<Group>?>

    func step(
        _ context: OpaquePointer, _ count: Int32, _ values: UnsafeMutablePointer<OpaquePointer?>?
    ) {
        changes.tellHeldChanges()
        guard let group = group(context), !group.hasFailed else { return }
        callingProgram(context) {
            do throws(StorageError) {
                try group.aggregation.step(arguments(count, values))
            } catch {
                group.hasFailed = true
                tell(error, context)
            }
        }
    }

    /// The group of this call. The library's memory for it is zero at first.
    private func group(_ context: OpaquePointer) -> Group? {
        guard case .aggregate(let make) = body,
            let memory = api.pointee.aggregate_context(context, Int32(MemoryLayout<Slot.Pointee>.size))
        else {
            api.pointee.result_error_code(context, SQLiteCode.outOfMemory)
            return nil
        }
        let slot = memory.assumingMemoryBound(to: Slot.Pointee.self)
        if let known = slot.pointee { return known.takeUnretainedValue() }
        let group = Group(make())
        slot.pointee = Unmanaged.passRetained(group)
        return group
    }

    /// Called once for each group, also when the statement failed or was given up; for no rows at all without any
    /// step before.
    func finish(_ context: OpaquePointer) {
        guard case .aggregate(let make) = body else { return }
        changes.tellHeldChanges()
        let memory = api.pointee.aggregate_context(context, 0)?.assumingMemoryBound(to: Slot.Pointee.self)
        let group = memory?.pointee?.takeRetainedValue()
        memory?.pointee = nil
        guard group?.hasFailed != true else { return }
        callingProgram(context) {
            do throws(StorageError) {
                tell(try (group?.aggregation ?? make()).finish(), context)
            } catch {
                tell(error, context)
            }
        }
    }

    // MARK: - Values

    private func arguments(_ count: Int32, _ values: UnsafeMutablePointer<OpaquePointer?>?) -> [StorageValue]
    {
        (0..<Int(count)).map { index in
            values?[index].map { api.pointee.cell($0).value } ?? .null
        }
    }

    private func tell(_ value: StorageValue, _ context: OpaquePointer) {
        switch value {
        case .null: api.pointee.result_null(context)
        case .integer(let integer): api.pointee.result_int64(context, integer)
        case .real(let real): api.pointee.result_double(context, real)
        case .text(var text):
            text.withUTF8 { bytes in
                bytes.withMemoryRebound(to: CChar.self) {
                    api.pointee.result_text(
                        context, $0.baseAddress, Int32(clamping: $0.count), copiesBoundMemory)
                }
            }
        case .blob(let bytes):
            // A null pointer would stand for NULL, and an empty array may have none.
            (bytes.isEmpty ? [0] : bytes).withUnsafeBytes {
                api.pointee.result_blob(
                    context, $0.baseAddress, Int32(clamping: bytes.count), copiesBoundMemory)
            }
        }
    }

    private func tell(_ error: StorageError, _ context: OpaquePointer) {
        api.pointee.result_error(context, error.message, -1)
        // Codes that are no errors would make the message the result.
        let isError = ![SQLiteCode.ok, SQLiteCode.row, SQLiteCode.done].contains(error.code.rawValue)
        api.pointee.result_error_code(context, isError ? error.code.rawValue : SQLiteCode.error)
    }
}

extension vigil_sqlite_api {
    /// A value that the library lends.
    func cell(_ value: OpaquePointer) -> StorageCell {
        switch value_type(value) {
        case SQLiteType.integer: return StorageCell(integer: value_int64(value))
        case SQLiteType.float: return StorageCell(real: value_double(value))
        case SQLiteType.text:
            let text = value_text(value)
            return StorageCell(
                borrowingText: UnsafeRawBufferPointer(start: text, count: Int(value_bytes(value))))
        case SQLiteType.blob:
            let blob = value_blob(value)
            return StorageCell(
                borrowingBlob: UnsafeRawBufferPointer(start: blob, count: Int(value_bytes(value))))
        default: return .null
        }
    }
}
