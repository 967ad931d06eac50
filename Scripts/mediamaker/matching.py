"""Which streams and packets of a source and of an output belong together."""


def same_codec(one, other):
    """Whether an MP4 that names the second may hold the first: it states MPEG audio without its layer, for one."""
    mpeg = {"mp1", "mp2", "mp3"}
    return one == other or {one, other} == {"aac", "aac_latm"} or (one.startswith("pcm") and other.startswith("pcm")) or {one, other} <= mpeg


def merged(streams):
    """Streams of one kind and codec as one, in order: the program map gave them new PIDs midway."""
    made = []
    for stream in streams:
        first = next((one for one in made if (one.kind, one.codec) == (stream.kind, stream.codec)), None)
        if first is None:
            made.append(stream)
        else:
            first.packets += stream.packets
    return made


def in_order(wanted, got):
    """Pairs of places of what is in both, in order: each of `got` at its next place in `wanted`."""
    places, pairs, last = {}, [], -1
    for i, digest in enumerate(wanted):
        places.setdefault(digest, []).append(i)
    for k, digest in enumerate(got):
        i = next((place for place in places.get(digest, ()) if place > last), None)
        # A packet that occurs often (silence) must not carry the search far ahead.
        if i is not None and (len(places[digest]) == 1 or i - last < 50):
            pairs.append((i, k))
            last = i
    return pairs
