internal import Glibc

/// Tells the service manager how the daemon is (`sd_notify(3)`: datagrams to the socket in NOTIFY_SOCKET). Does nothing
/// where no manager asked for it.
struct ServiceNotifier: Sendable {
    private let address: String?

    init(environment: [String: String]) { address = environment["NOTIFY_SOCKET"].flatMap { $0.isEmpty ? nil : $0 } }

    func ready(_ status: String) { send("READY=1\nSTATUS=\(oneLine(status))") }
    func status(_ status: String) { send("STATUS=\(oneLine(status))") }
    func stopping() { send("STOPPING=1") }

    private func oneLine(_ text: String) -> String { text.split(separator: "\n").joined(separator: " ") }

    private func send(_ message: String) {
        guard let address else { return }
        var name = sockaddr_un()
        name.sun_family = sa_family_t(AF_UNIX)
        var path = Array(address.utf8)
        // "@name" is Linux's abstract namespace: a leading zero byte in the kernel's terms.
        if path.first == UInt8(ascii: "@") { path[0] = 0 }
        guard path.count < MemoryLayout.size(ofValue: name.sun_path) else { return }
        withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: path) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + path.count)
        let descriptor = socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        let bytes = Array(message.utf8)
        withUnsafePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                _ = sendto(descriptor, bytes, bytes.count, CInt(MSG_NOSIGNAL), generic, length)
            }
        }
    }
}
