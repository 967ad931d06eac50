import CommandLineTool
import Daemon
import ControlProtocol
import Glibc

let environment = ProcessEnvironment.current()
let hooks = CommandLineHooks(
    runDaemon: { Daemon.run($0) },
    runDemo: { Demo.run($0) },
    offline: { options, request, onEvent throws(ControlError) in try OfflineRequests.answer(options, request, onEvent) },
    selfTest: { SelfTestRun.run($0, say: $1) },
    libraries: { LibraryVersions.all() })
exit(CommandLineTool.run(arguments: CommandLine.arguments, environment: environment, hooks: hooks))
