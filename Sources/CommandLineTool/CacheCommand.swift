internal import Configuration
internal import ControlProtocol
internal import Glibc

/// `reelfs cache …`.
enum CacheCommand {
    static func run(_ context: CommandContext) throws(CommandFailure) -> ExitCode {
        let operands = context.arguments.operands
        switch context.arguments.command.name {
        case "list": return try list(context)
        case "show": return try show(context)
        case "verify": return try verify(context)
        case "drop": return try freed(context.ask(.cacheDrop(paths: operands.map(context.reference))), context)
        case "clear": return try freed(context.ask(.cacheClear), context)
        case "limit": return try limit(context)
        default: return try export(context)
        }
    }

    private static func list(_ context: CommandContext) throws(CommandFailure) -> ExitCode {
        let answer = try context.ask(.cacheList(path: context.arguments.operands.first.map(context.reference)))
        guard case .cacheObjects(let objects) = answer else { throw .unexpected }
        if context.wantsJSON {
            context.printJSON(objects)
        } else {
            context.console.out(
                TextColumns.table(
                    ["SIZE", "CACHED", "", "LAST USED", "FILE"],
                    objects.map {
                        [
                            ByteSize.format($0.size), ByteSize.format($0.cachedBytes), StatusFormatter.percent($0.cachedBytes, of: $0.size),
                            LocalTime.format($0.lastUsed) + ($0.isOpen ? " open" : ""), "\($0.source)/\($0.path)",
                        ]
                    }, right: [0, 1, 2]))
        }
        return .success
    }

    private struct Shown: Encodable {
        var object: CachedObjectStatus
        var detail: CachedObjectDetail
    }

    private static func show(_ context: CommandContext) throws(CommandFailure) -> ExitCode {
        let answer = try context.ask(.cacheShow(path: context.reference(context.arguments.operands[0])))
        guard case .cacheObject(let object, let detail) = answer else { throw .unexpected }
        if context.wantsJSON {
            context.printJSON(Shown(object: object, detail: detail))
            return .success
        }
        context.console.out(
            TextColumns.table(
                ["FILE", "\(object.source)/\(object.path)"],
                [
                    ["size", "\(object.size) bytes (\(ByteSize.format(object.size)))"],
                    ["cached", "\(object.cachedBytes) bytes (\(StatusFormatter.percent(object.cachedBytes, of: object.size)))"],
                    ["on disk", ByteSize.format(detail.diskBytes)], ["version", detail.version], ["last used", LocalTime.format(object.lastUsed)],
                    ["open", object.isOpen ? "yes" : "no"],
                ]))
        for span in detail.ranges { context.print("\(span.start)-\(span.end)") }
        return .success
    }

    private static func verify(_ context: CommandContext) throws(CommandFailure) -> ExitCode {
        let printer = ProgressPrinter(context)
        let answer = try context.ask(.cacheVerify(path: context.arguments.operands.first.map(context.reference)), onEvent: printer.take)
        printer.finish()
        guard case .verified(let report) = answer else { throw .unexpected }
        if context.wantsJSON {
            context.printJSON(report)
        } else {
            context.print(
                "\(counted(report.objects, "file")), \(counted(report.blocks, "block")), \(ByteSize.format(report.bytes)) checked: "
                    + (report.damagedBlocks == 0 ? "all good" : "\(counted(report.damagedBlocks, "block")) damaged and dropped"))
        }
        return report.damagedBlocks == 0 ? .success : .failure
    }

    private static func freed(_ answer: ControlAnswer, _ context: CommandContext) throws(CommandFailure) -> ExitCode {
        guard case .freed(let bytes, let objects, let kept) = answer else { throw .unexpected }
        context.say(
            "\(ByteSize.format(bytes)) of \(counted(objects, "file")) freed" + (kept > 0 ? "; what is open stays (\(counted(kept, "file")))" : ""))
        return .success
    }

    /// Kept in `reelfs.toml` first: should the daemon then refuse, the next one takes it.
    private static func limit(_ context: CommandContext) throws(CommandFailure) -> ExitCode {
        let size = try context.cacheSize(context.arguments.operands.first)
        let free = try context.minimumFree()
        var settings = context.settings
        if let size { settings.cacheSize = size }
        if let free { settings.minimumFree = free }
        if settings != context.settings { try configuring { () throws(ConfigurationError) in try context.configuration.save(settings) } }
        let bytes = size == nil ? nil : settings.cacheBytes(diskBytes: diskBytes(context.cacheDirectory))
        let answer = try context.ask(.cacheLimit(maximumBytes: bytes, minimumFreeBytes: free))
        guard case .limits(let cache) = answer else { throw .unexpected }
        if context.wantsJSON {
            context.printJSON(cache)
        } else {
            context.print(
                "\(ByteSize.format(cache.bytes)) of at most \(ByteSize.format(cache.maximumBytes)); "
                    + "\(ByteSize.format(cache.minimumFreeBytes)) of the disk stay free")
        }
        return .success
    }

    /// Of the filesystem that holds the directory or its nearest existing parent; 0 when nobody tells.
    private static func diskBytes(_ path: String) -> UInt64 {
        var path = path
        var info = statvfs()
        while statvfs(path, &info) != 0 {
            guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return 0 }
            path = String(path[..<slash])
        }
        return UInt64(info.f_blocks).multipliedReportingOverflow(by: UInt64(info.f_frsize)).partialValue
    }

    private static func export(_ context: CommandContext) throws(CommandFailure) -> ExitCode {
        guard let directory = context.arguments.value("to") else { throw .usage("--to DIR is missing", advice: "see: reelfs cache export --help") }
        let printer = ProgressPrinter(context)
        let answer = try context.ask(
            .cacheExport(paths: context.arguments.operands.map(context.reference), directory: context.absolute(directory)), onEvent: printer.take)
        printer.finish()
        return try GetCommand.report(answer, context)
    }
}
