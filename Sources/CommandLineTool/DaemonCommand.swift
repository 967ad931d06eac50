internal import Configuration
internal import ControlProtocol
internal import Glibc

/// `reelfs daemon`.
enum DaemonCommand {
    static func run(_ context: CommandContext) throws(CommandFailure) -> Int32 {
        let isIdleEnding = context.arguments.has("until-unmounted")
        var options = try options(context, style: context.arguments.has("systemd") ? .systemd : isIdleEnding ? .background : .foreground)
        options.endsWhenIdle = isIdleEnding
        // In the background it keeps no directory busy. All paths are absolute.
        if isIdleEnding { chdir("/") }
        // A daemon started for one mount makes no others.
        let mountPoint = context.arguments.value("mount").map(context.real) ?? (isIdleEnding ? nil : context.settings.mountPoint.map(context.real))
        if let mountPoint {
            options.mounts = [MountRequest(content: .configured, mountPoint: mountPoint, options: context.mountOptions)]
        } else if context.arguments.has("option") {
            throw .usage("--option is for a mount", advice: "name its directory: --mount DIR")
        }
        return context.hooks.runDaemon(options)
    }

    static func options(_ context: CommandContext, style: DaemonOptions.Style) throws(CommandFailure) -> DaemonOptions {
        DaemonOptions(
            cacheDirectory: context.cacheDirectory, configurationDirectory: context.configuration.path,
            cacheSize: try context.cacheSize(context.arguments.value("cache-size")) ?? context.settings.cacheSize,
            minimumFree: try context.minimumFree() ?? context.settings.minimumFree, logLevel: try context.logLevel() ?? context.settings.logLevel,
            style: style, endsWhenIdle: false, environment: context.environment)
    }
}

/// `reelfs demo`.
enum DemoCommand {
    static func run(_ context: CommandContext) throws(CommandFailure) -> Int32 {
        var port: UInt16 = 0
        if let text = context.arguments.value("port") {
            guard let number = UInt16(text) else { throw .usage("\(text) is not a port", advice: "0 to 65535; 0 is a free one") }
            port = number
        }
        let options = DemoOptions(
            mountPoint: context.arguments.operands.first.map(context.absolute), tree: context.arguments.value("tree").map(context.absolute),
            port: port,
            servesOnly: context.arguments.has("serve-only"), environment: context.environment)
        return context.hooks.runDemo(options)
    }
}
