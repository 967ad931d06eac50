"""Changes to MPEG transport streams, packet by packet (ISO/IEC 13818-1)."""

NULL = b"\x47\x1f\xff\x10" + b"\xff" * 184


def packets(data):
    return [data[at : at + 188] for at in range(0, len(data) - 187, 188)]


def pid(packet):
    return int.from_bytes(packet[1:3], "big") & 0x1FFF


def starts(packet):
    return bool(packet[1] & 0x40)


def payload_at(packet):
    return 5 + packet[4] if packet[3] & 0x20 else 4


def pmt_pids(list_):
    """PIDs of the program maps that the first PAT names."""
    pat = next(packet for packet in list_ if pid(packet) == 0)
    at = payload_at(pat)
    section = pat[at + 1 + pat[at] :]
    end = 3 + (int.from_bytes(section[1:3], "big") & 0xFFF) - 4
    return {int.from_bytes(section[i + 2 : i + 4], "big") & 0x1FFF for i in range(8, end, 4) if section[i : i + 2] != b"\0\0"}


def packets_of_204(data):
    """Each packet with sixteen bytes behind it, where Reed-Solomon parity would be."""
    return b"".join(packet + bytes((17 * i + 5) & 0xFF for i in range(16)) for packet in packets(data))


def late_tables(data, share=0.25):
    """Without PAT and PMT for the first share of the packets."""
    list_ = packets(data)
    tables, first = {0} | pmt_pids(list_), int(len(list_) * share)
    return b"".join(packet for i, packet in enumerate(list_) if i >= first or pid(packet) not in tables)


def scrambled(data, control=0b10, only=None):
    """With transport_scrambling_control set on the packets of PES."""
    tables = {0, 17, 0x1FFF} | pmt_pids(packets(data))
    return b"".join(
        packet if pid(packet) in tables or (only and pid(packet) not in only) else packet[:3] + bytes([packet[3] & 0x3F | control << 6]) + packet[4:]
        for packet in packets(data)
    )


def duplicated(data, every=5):
    """Every so many packets comes twice, as the standard allows."""
    return b"".join(packet * 2 if i % every == 0 and packet[3] & 0x10 and pid(packet) != 0x1FFF else packet for i, packet in enumerate(packets(data)))


def damaged(data, at, size, seed=7):
    """With foreign bytes put in at a share of its length; they hold 0x47 as well."""
    junk = bytes((seed * i * i + i) & 0xFF if i % 61 else 0x47 for i in range(size))
    cut = int(len(data) * at) // 188 * 188
    return data[:cut] + junk + data[cut:]


def without_pts(data, which, every=2):
    """Takes PTS and DTS from every so many PES packets of a PID: the fields become stuffing."""
    out, count = [], 0
    for packet in packets(data):
        at = payload_at(packet)
        if pid(packet) == which and starts(packet) and packet[at : at + 3] == b"\0\0\1":
            count += 1
            if count % every == 0:
                size = packet[at + 8]
                packet = packet[: at + 7] + bytes([packet[at + 7] & 0x3F, size]) + b"\xff" * size + packet[at + 9 + size :]
        out.append(packet)
    return b"".join(out)


def stream_pids(data):
    """PIDs that carry PES, in order of appearance."""
    seen = []
    for packet in packets(data):
        at = payload_at(packet)
        if starts(packet) and packet[at : at + 3] == b"\0\0\1" and pid(packet) not in seen:
            seen.append(pid(packet))
    return seen


def later(head, ticks):
    """The head of a PES packet with its PTS moved, which is all the time it may state."""
    assert head[7] >> 6 == 2, "a PTS alone"
    old = (head[9] >> 1 & 7) << 30 | head[10] << 22 | head[11] >> 1 << 15 | head[12] << 7 | head[13] >> 1
    new = (old + ticks) % (1 << 33)
    stamp = bytes([0x21 | new >> 29 & 0xE, new >> 22 & 0xFF, new >> 14 & 0xFE | 1, new >> 7 & 0xFF, new << 1 & 0xFE | 1])
    return head[:9] + stamp + head[14:]


def unaligned(data, which, shift, ticks):
    """Cuts the payload of a PID's PES packets `shift` bytes late: frames begin in one and end in the next.

    `shift` is less than a frame: a PTS tells of the first frame that begins in its packet, now the second of the old ones, `ticks` later."""
    list_ = packets(data)
    units, place = [], {}
    for i, packet in enumerate(list_):
        if pid(packet) == which:
            body = packet[payload_at(packet) :] if packet[3] & 0x10 else b""
            if starts(packet):
                place[i] = len(units)
                units.append(bytearray())
            units[-1] += body
    heads = [bytes(unit[: 9 + unit[8]]) for unit in units]
    heads[1:] = [later(head, ticks) for head in heads[1:]]
    bodies = [bytes(unit[9 + unit[8] :]) for unit in units]
    cut = [(b"" if i == 0 else body[shift:]) if i else body for i, body in enumerate(bodies)]
    cut = [cut[i] + (bodies[i + 1][:shift] if i + 1 < len(bodies) else b"") for i in range(len(cut))]
    out, counter = [], 0
    for i, packet in enumerate(list_):
        if pid(packet) != which:
            out.append(packet)
        elif i in place:
            head, body = heads[place[i]], cut[place[i]]
            unit = head[:4] + (len(head) - 6 + len(body)).to_bytes(2, "big") + head[6:] + body
            for made in packetised(unit, which, counter):
                out.append(made)
                counter = (counter + 1) % 16
    return b"".join(out)


def packetised(unit, which, counter):
    """A PES packet as transport packets; the last is filled up by adaptation field."""
    first = True
    while unit:
        part, unit = unit[:184], unit[184:]
        room = 184 - len(part)
        field = b"" if not room else bytes([room - 1]) + (b"\0" + b"\xff" * (room - 2) if room > 1 else b"")
        yield bytes([0x47, (0x40 if first else 0) | which >> 8, which & 0xFF, (0x30 if room else 0x10) | counter]) + field + part
        counter, first = (counter + 1) % 16, False
