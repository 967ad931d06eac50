"""EBML elements (RFC 8794): as bytes to be written, and walked in bytes that were read."""


def vint(value, width=None):
    """A size of the given width, or of the least one that holds it."""
    if width is None:
        width = next(w for w in range(1, 9) if value < (1 << 7 * w) - 1)
    return ((1 << 7 * width) | value).to_bytes(width, "big")


def identifier(number):
    return number.to_bytes((number.bit_length() + 7) // 8, "big")


def element(number, payload, unknown=False):
    """An element of bytes or of a list of elements; `unknown` leaves its size open (eight bytes of ones)."""
    if isinstance(payload, list):
        payload = b"".join(payload)
    size = b"\x01" + b"\xff" * 7 if unknown else vint(len(payload))
    return identifier(number) + size + payload


def unsigned(number, value):
    return element(number, value.to_bytes(max(1, (value.bit_length() + 7) // 8), "big"))


def text(number, value):
    return element(number, value.encode())


def length(first):
    """How many bytes a vint has whose first byte this is."""
    if not first:
        raise ValueError("no EBML number starts with a zero byte")
    return 9 - first.bit_length()


def number_at(data, at):
    """The size at `at` (None if unknown) and where it ends."""
    width = length(data[at])
    value = int.from_bytes(data[at : at + width], "big") & ((1 << 7 * width) - 1)
    return (None if value == (1 << 7 * width) - 1 else value), at + width


def children(data, start=0, end=None):
    """(identifier, first byte of the header, of the payload, end) of each element in the range."""
    end = len(data) if end is None else end
    while start < end:
        width = length(data[start])
        number = int.from_bytes(data[start : start + width], "big")
        size, payload = number_at(data, start + width)
        stop = end if size is None else min(end, payload + size)
        yield number, start, payload, stop
        start = stop
