internal import CCurl

// What libcurl calls on the engine's thread. The context is the exchange under way, except for sockets that close, which
// outlive it.

func takeBodyCallback(_ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?) -> Int {
    guard let bytes, let context, count > 0 else { return 0 }
    // libcurl always gives size 1.
    let exchange = Unmanaged<Exchange>.fromOpaque(context).takeUnretainedValue()
    return exchange.takeBody(UnsafeRawBufferPointer(start: bytes, count: count)) ? count : 0
}

func takeHeadCallback(_ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?) -> Int {
    guard let bytes, let context else { return 0 }
    Unmanaged<Exchange>.fromOpaque(context).takeUnretainedValue().takeHeadLine(UnsafeRawBufferPointer(start: bytes, count: count))
    return count
}

/// Opens the socket of a connection, unless the address may not be spoken to on this way.
func openSocketCallback(
    _ context: UnsafeMutableRawPointer?, _ purpose: curlsocktype, _ address: UnsafeMutablePointer<curl_sockaddr>?
) -> curl_socket_t {
    guard let context, let address else { return -1 }
    let exchange = Unmanaged<Exchange>.fromOpaque(context).takeUnretainedValue()
    var storage: (UInt64, UInt64) = (0, 0)
    let bytes = withUnsafeMutableBytes(of: &storage) { room -> [UInt8] in
        guard let base = room.bindMemory(to: UInt8.self).baseAddress else { return [] }
        let count = Int(ccurl_address_bytes(address, base))
        return Array(room.prefix(count))
    }
    guard let peer = NetworkAddress(bytes: bytes), exchange.engine.allows(exchange, peer) else {
        exchange.wasAddressRefused = true
        return -1
    }
    // Bytes that a dead network swallows give up as a silent origin does.
    let socket = ccurl_open_socket(address, UInt32(clamping: exchange.request.deadlines.idle.wholeMilliseconds))
    if socket >= 0 { exchange.engine.connectionOpened() }
    return socket
}

func closeSocketCallback(_ context: UnsafeMutableRawPointer?, _ socket: curl_socket_t) -> CInt {
    guard let context else { return 1 }
    return Unmanaged<Engine>.fromOpaque(context).takeUnretainedValue().closeConnection(socket)
}

/// Before each request, also on a connection that was there already: the peer's address is known now.
func prerequestCallback(
    _ context: UnsafeMutableRawPointer?, _ peer: UnsafeMutablePointer<CChar>?, _ local: UnsafeMutablePointer<CChar>?, _ peerPort: CInt,
    _ localPort: CInt
) -> CInt {
    guard let context, let peer else { return CURL_PREREQFUNC_ABORT }
    let exchange = Unmanaged<Exchange>.fromOpaque(context).takeUnretainedValue()
    return exchange.engine.admit(exchange, NetworkAddress(String(cString: peer))) ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
}
