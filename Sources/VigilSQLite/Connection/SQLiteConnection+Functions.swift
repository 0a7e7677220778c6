import CVigilSQLite
package import VigilStorage

extension SQLiteConnection {
    package func add(_ function: StorageFunction) throws(StorageError) {
        let handle = try openHandle()
        let argumentCount = try checkedArgumentCount(function.argumentCount, ofFunctionNamed: function.name)
        willChangeFunction(named: function.name)
        // The value of an aggregate depends on other rows.
        let isScalar = if case .scalar = function.body { true } else { false }
        didAddFunction(named: function.name, isPure: function.isPure && isScalar)
        let isLimited = !options.trustsFile && !function.isHarmless
        let hosted = HostedFunction(
            api: api, body: function.body, reporter: reporter,
            limitedName: isLimited ? function.name.foldedName : nil)
        let entry: vigil_sqlite_function
        switch function.body {
        case .scalar:
            entry = hosted.entry({ HostedFunction.of($0)?.call($1, count: $2, values: $3) }, finish: nil)
        case .aggregate:
            entry = hosted.entry(
                { HostedFunction.of($0)?.step($1, count: $2, values: $3) },
                finish: { HostedFunction.of($0)?.finish($1) })
        }
        let flags =
            SQLiteFunctionFlag.utf8 | (function.isPure ? SQLiteFunctionFlag.deterministic : 0)
            | (function.isHarmless ? SQLiteFunctionFlag.innocuous : 0)
        let code = vigil_sqlite_create_function(
            api, handle, function.name, argumentCount, flags, entry)
        guard code == SQLiteCode.ok else { throw functionError(code, function.name) }
    }

    package func removeFunction(named name: String, argumentCount count: Int?) throws(StorageError) {
        let handle = try openHandle()
        let argumentCount = try checkedArgumentCount(count, ofFunctionNamed: name)
        willChangeFunction(named: name)
        let code = api.pointee.create_function_v2(
            handle, name, argumentCount, SQLiteFunctionFlag.utf8, nil, nil, nil, nil, nil)
        guard code == SQLiteCode.ok else { throw functionError(code, name) }
    }

    /// Returns the library's argument count, where -1 means any number. Throws ``StorageError/Code/misuse``
    /// for names and counts that the library would refuse without a message.
    private func checkedArgumentCount(_ count: Int?, ofFunctionNamed name: String) throws(StorageError)
        -> Int32
    {
        try name.checkForNullCharacter(in: "the name of the function")
        let longestName = 255
        guard name.utf8.count <= longestName else {
            throw functionError(
                "its name has \(name.utf8.count) bytes, and the maximum is \(longestName)", name)
        }
        guard let count else { return -1 }
        let maximum = limit(SQLiteLimit.functionArguments)
        guard (0...maximum).contains(count) else {
            throw functionError("\(count) is not a number of arguments from 0 to \(maximum)", name)
        }
        return Int32(clamping: count)
    }

    private func functionError(_ reason: String, _ name: String) -> StorageError {
        StorageError(.misuse, "cannot change the function \(name.prefix(255)): \(reason)")
    }

    private func functionError(_ code: Int32, _ name: String) -> StorageError {
        let prefix = "cannot change the function \(name): "
        guard code != VIGIL_SQLITE_NO_SLOT else {
            return StorageError(.full, prefix + Self.noSlotMessage)
        }
        return StorageError(.init(rawValue: code), prefix + lastError(code).message)
    }

    static let noSlotMessage =
        "functions already exist in \(VIGIL_SQLITE_LIBRARY_LIMIT) libraries of this process, which is the limit: "
        + "use fewer libraries"

    package var isRunningWrite: Bool {
        statementHandles.contains {
            api.pointee.stmt_busy($0) != 0 && api.pointee.stmt_readonly($0) == 0
        }
    }
}

private final class HostedFunction {
    private let api: UnsafePointer<vigil_sqlite_api>
    private let body: StorageFunction.Body
    /// The change reporter. It reports queued changes before the program's function is called: the function
    /// may run statements, and earlier changes must not be attributed to them.
    private let reporter: ChangeReporter
    /// The name in lower case, if the schema must not call the function.
    private let limitedName: String?

    init(
        api: UnsafePointer<vigil_sqlite_api>, body: StorageFunction.Body, reporter: ChangeReporter,
        limitedName: String?
    ) {
        self.api = api
        self.reporter = reporter
        self.body = body
        self.limitedName = limitedName
    }

    /// Returns the entry to pass to the library, which then retains the function.
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
        _ context: OpaquePointer, count: Int32, values: UnsafeMutablePointer<OpaquePointer?>?
    ) {
        guard case .scalar(let function) = body else { return }
        reporter.reportQueuedChanges()
        callingProgram(context) {
            do throws(StorageError) {
                setResult(try function(arguments(count, values)), context)
            } catch {
                setResult(error, context)
            }
        }
    }

    /// Calls the program, and ends the calling statement if the program rolled its transaction back and the
    /// statement writes, or if the rollback must wait for its end. The library only ends a statement after
    /// its first row change; any other would change rows outside of the transaction, without reporting a
    /// commit.
    private func callingProgram(_ context: OpaquePointer, _ call: () -> Void) {
        if let limitedName, let connection = reporter.connection,
            let error = connection.refusal(ofFunctionNamed: limitedName)
        {
            setResult(error, context)
            return
        }
        guard let connection = reporter.connection else { return call() }
        let rollbackCount = reporter.rollbackCount
        connection.forcedRollbacks.functionDepth += 1
        call()
        connection.forcedRollbacks.functionDepth -= 1
        guard
            connection.forcedRollbacks.isPending
                || rollbackCount != reporter.rollbackCount && connection.isRunningWrite
        else { return }
        setResult(StorageError(.abort, "the statement was ended by a rollback"), context)
    }

    // MARK: - Aggregates

    /// The state of one group. The library keeps a pointer to it, and it is retained until the group ends.
    private final class Group {
        let aggregation: any StorageAggregation
        var hasFailed = false

        init(_ aggregation: any StorageAggregation) { self.aggregation = aggregation }
    }

    private typealias Slot = UnsafeMutablePointer<Unmanaged<Group>?>

    func step(
        _ context: OpaquePointer, count: Int32, values: UnsafeMutablePointer<OpaquePointer?>?
    ) {
        reporter.reportQueuedChanges()
        callingProgram(context) {
            guard let group = group(context), !group.hasFailed else { return }
            do throws(StorageError) {
                try group.aggregation.step(arguments(count, values))
            } catch {
                group.hasFailed = true
                setResult(error, context)
            }
        }
    }

    /// Returns the group of this call. The library initializes the memory for it with zeros.
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

    /// Ends a group. Called once for each group, even if the statement failed or was abandoned. An aggregate
    /// of no rows has no step before it.
    func finish(_ context: OpaquePointer) {
        guard case .aggregate(let make) = body else { return }
        reporter.reportQueuedChanges()
        let memory = api.pointee.aggregate_context(context, 0)?.assumingMemoryBound(to: Slot.Pointee.self)
        let group = memory?.pointee?.takeRetainedValue()
        memory?.pointee = nil
        guard group?.hasFailed != true else { return }
        callingProgram(context) {
            do throws(StorageError) {
                setResult(try (group?.aggregation ?? make()).finish(), context)
            } catch {
                setResult(error, context)
            }
        }
    }

    // MARK: - Values

    private func arguments(_ count: Int32, _ values: UnsafeMutablePointer<OpaquePointer?>?) -> [StorageValue]
    {
        (0..<Int(count)).map { index in
            values?[index].map { api.cell($0).value } ?? .null
        }
    }

    private func setResult(_ value: StorageValue, _ context: OpaquePointer) {
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
            // A null pointer would mean NULL, and an empty array may not have a base address.
            (bytes.isEmpty ? [0] : bytes).withUnsafeBytes {
                api.pointee.result_blob(
                    context, $0.baseAddress, Int32(clamping: bytes.count), copiesBoundMemory)
            }
        }
    }

    private func setResult(_ error: StorageError, _ context: OpaquePointer) {
        var message = error.message
        message.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) {
                api.pointee.result_error(context, $0.baseAddress, Int32(clamping: $0.count))
            }
        }
        // With a code that is not an error, the message would become the result.
        let isError = ![SQLiteCode.ok, SQLiteCode.row, SQLiteCode.done].contains(error.code.rawValue)
        api.pointee.result_error_code(context, isError ? error.code.rawValue : SQLiteCode.error)
    }
}

extension UnsafePointer<vigil_sqlite_api> {
    @inline(__always)  // bench: decode-rows
    func cell(_ value: OpaquePointer?) -> StorageCell {
        var isLost = false
        return cell(value, isLost: &isLost)
    }

    /// Returns a cell that borrows a value of the library.
    ///
    /// - Parameter isLost: Set to `true` if there is not enough memory to convert a text to UTF-8.
    @inline(__always)  // bench: decode-rows
    func cell(_ value: OpaquePointer?, isLost: inout Bool) -> StorageCell {
        switch pointee.value_type(value) {
        case SQLiteType.integer: return StorageCell(integer: pointee.value_int64(value))
        case SQLiteType.float: return StorageCell(real: pointee.value_double(value))
        case SQLiteType.text:
            let text = pointee.value_text(value)
            if text == nil { isLost = true }
            let count = text == nil ? 0 : Int(pointee.value_bytes(value))
            return StorageCell(borrowingText: UnsafeRawBufferPointer(start: text, count: count))
        case SQLiteType.blob:
            let blob = pointee.value_blob(value)
            let count = blob == nil ? 0 : Int(pointee.value_bytes(value))
            return StorageCell(borrowingBlob: UnsafeRawBufferPointer(start: blob, count: count))
        default: return .null
        }
    }
}
