"""NAL units between length prefixes and start codes, and a field coded H.264 stream made by hand."""


def split_lengths(data, width=4):
    """NAL units behind lengths of `width` bytes."""
    at, units = 0, []
    while at + width <= len(data):
        size = int.from_bytes(data[at : at + width], "big")
        if at + width + size > len(data):
            raise ValueError(f"NAL unit of {size} bytes at {at} in a packet of {len(data)}")
        units.append(data[at + width : at + width + size])
        at += width + size
    if at != len(data):
        raise ValueError(f"{len(data) - at} bytes left behind the last NAL unit")
    return units


def split_start_codes(data):
    """NAL units behind start codes, without the zeros that may trail them."""
    units, at = [], data.find(b"\0\0\1")
    while at >= 0:
        following = data.find(b"\0\0\1", at + 3)
        unit = data[at + 3 : len(data) if following < 0 else following]
        units.append(unit.rstrip(b"\0"))
        at = following
    return [unit for unit in units if unit]


def with_start_codes(units):
    return b"".join(b"\0\0\0\1" + unit for unit in units)


def with_lengths(units):
    return b"".join(len(unit).to_bytes(4, "big") + unit for unit in units)


def avcc_units(private):
    """The parameter sets of an avcC."""
    units, at = [], 5
    for mask in (0x1F, 0xFF):
        count, at = private[at] & mask, at + 1
        for _ in range(count):
            size = int.from_bytes(private[at : at + 2], "big")
            units.append(private[at + 2 : at + 2 + size])
            at += 2 + size
    return units


class Bits:
    def __init__(self):
        self.text = ""

    def u(self, width, value):
        self.text += format(value, f"0{width}b") if width else ""
        return self

    def ue(self, *values):
        for value in values:
            number = format(value + 1, "b")
            self.text += "0" * (len(number) - 1) + number
        return self

    def align(self):
        self.text += "0" * (-len(self.text) % 8)
        return self

    def nal(self, header):
        """The unit with its stop bit and emulation prevention."""
        self.text += "1"
        self.align()
        raw, out, zeros = int(self.text, 2).to_bytes(len(self.text) // 8, "big"), bytearray([header]), 0
        for byte in raw:
            if zeros >= 2 and byte <= 3:
                out.append(3)
                zeros = 0
            out.append(byte)
            zeros = zeros + 1 if byte == 0 else 0
        return bytes(out)


def field_coded(pictures=50):
    """(SPS, PPS, list of (top field, bottom field)): 64x64, every macroblock I_PCM, each field a picture of its own (PAFF)."""
    sps = Bits().u(8, 77).u(8, 0).u(8, 30).ue(0, 0, 0, 4, 1).u(1, 0).ue(3, 1).u(1, 0).u(1, 0).u(1, 1).u(1, 0)
    sps.u(1, 1).u(1, 0).u(1, 0).u(1, 0).u(1, 0).u(1, 1).u(32, 1).u(32, 50).u(1, 1).u(1, 0).u(1, 0).u(1, 0)  # VUI: 50 fields a second
    sps.u(1, 1).u(1, 1).ue(0, 0, 16, 16, 0, 1)  # no reordering, one frame kept
    pps = Bits().ue(0, 0).u(1, 0).u(1, 0).ue(0, 0, 0).u(1, 0).u(2, 0).ue(0, 0, 0).u(3, 0)
    frames = []
    for picture in range(pictures):
        fields = []
        for bottom in (0, 1):
            idr = picture == 0 and not bottom
            bits = Bits().ue(0, 7, 0).u(4, picture % 16).u(1, 1).u(1, bottom)
            if idr:
                bits.ue(0)
            bits.u(8, (2 * picture + bottom) % 256).u(2 if idr else 1, 0).ue(0)
            for block in range(8):
                bits.ue(25).align()
                luma = 40 + (block * 24 + picture * 3 + bottom * 8) % 180
                bits.text += format(luma, "08b") * 256 + format(128, "08b") * 128
            fields.append(bits.nal(0x65 if idr else 0x61))
        frames.append(tuple(fields))
    return sps.nal(0x67), pps.nal(0x68), frames
