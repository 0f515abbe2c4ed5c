"""Reads and writes PNG pictures with the standard library alone: 8 bits a channel, not interlaced."""
import struct
import zlib

SIGNATURE = b"\x89PNG\r\n\x1a\n"
CHANNELS = {2: 3, 3: 1, 6: 4}  # of a colour type: RGB, palette, RGBA


def chunks_of(data):
    if data[:8] != SIGNATURE:
        raise ValueError("not a PNG file")
    at = 8
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at : at + 8])
        yield kind, data[at + 8 : at + 8 + length]
        at += 12 + length


def undo_paeth(row, above, channels):
    for i, up in enumerate(above):
        left, corner = (row[i - channels], above[i - channels]) if i >= channels else (0, 0)
        to_left, to_up, to_corner = abs(up - corner), abs(left - corner), abs(left + up - 2 * corner)
        nearest = left if to_left <= to_up and to_left <= to_corner else up if to_up <= to_corner else corner
        row[i] = (row[i] + nearest) & 255
    return row


def undo_filter(kind, row, above, channels):
    """A row as it was before the filter."""
    if kind == 2:
        return bytearray((a + b) & 255 for a, b in zip(row, above))
    if kind == 4:
        return undo_paeth(row, above, channels)
    if kind != 0:
        for i, up in enumerate(above):
            left = row[i - channels] if i >= channels else 0
            row[i] = (row[i] + (left if kind == 1 else (left + up) // 2)) & 255
    return row


def read(data):
    """Width, height, and the pixels as a list of (r, g, b), row by row."""
    parts = {}
    for kind, payload in chunks_of(data):
        parts[kind] = parts.get(kind, b"") + payload
    width, height, depth, color, _, _, interlaced = struct.unpack(">IIBBBBB", parts[b"IHDR"])
    if depth != 8 or color not in CHANNELS or interlaced:
        raise ValueError("a PNG file of a kind that is not read here")
    channels = CHANNELS[color]
    palette = [tuple(parts[b"PLTE"][i : i + 3]) for i in range(0, len(parts.get(b"PLTE", b"")), 3)]
    raw, above, pixels = zlib.decompress(parts[b"IDAT"]), bytearray(width * channels), []
    for y in range(height):
        at = y * (width * channels + 1)
        above = undo_filter(raw[at], bytearray(raw[at + 1 : at + 1 + width * channels]), above, channels)
        if color == 3:
            pixels += [palette[i] for i in above]
        else:
            pixels += zip(above[0::channels], above[1::channels], above[2::channels])
    return width, height, pixels


def build_palette(counts, size):
    """Median cut: a colour for each box of colours, and the number of its box for each colour."""
    boxes = [list(counts)]
    while len(boxes) < size:
        # The box whose widest channel, weighted by its pixels, matters most is cut at its median.
        def weight(box):
            spans = [max(c[k] for c in box) - min(c[k] for c in box) for k in range(3)]
            return max(spans) * sum(counts[c] for c in box) ** 0.5 if len(box) > 1 else 0

        weights = [weight(box) for box in boxes]
        widest = max(range(len(boxes)), key=weights.__getitem__)
        if weights[widest] == 0:
            break
        box = boxes.pop(widest)
        channel = max(range(3), key=lambda k: max(c[k] for c in box) - min(c[k] for c in box))
        box.sort(key=lambda c: c[channel])
        half, total, cut = sum(counts[c] for c in box) / 2, 0, 1
        for i, color in enumerate(box[:-1]):
            total, cut = total + counts[color], i + 1
            if total >= half:
                break
        boxes += [box[:cut], box[cut:]]
    palette, index = [], {}
    for number, box in enumerate(boxes):
        share = sum(counts[c] for c in box)
        palette.append(tuple(round(sum(c[k] * counts[c] for c in box) / share) for k in range(3)))
        index.update((color, number) for color in box)
    return palette, index


def read_text(data, key):
    """The text that is stored in a picture under a key, or nothing."""
    for kind, payload in chunks_of(data):
        if kind == b"tEXt" and payload.startswith(key.encode() + b"\0"):
            return payload[len(key) + 1 :].decode("latin-1")
    return None


def size_of(data):
    """Width and height, pixels."""
    return struct.unpack(">II", data[16:24])


def quantise(data, size, key, text):
    """The same picture with a palette of that many colours, and a text stored under a key."""
    width, height, pixels = read(data)
    counts = {}
    for pixel in pixels:
        counts[pixel] = counts.get(pixel, 0) + 1
    palette, index = build_palette(counts, size)
    lines = [pixels[y * width : (y + 1) * width] for y in range(height)]
    rows = b"".join(b"\0" + bytes(index[p] for p in line) for line in lines)
    parts = [(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)),
             (b"PLTE", b"".join(bytes(color) for color in palette)),
             (b"tEXt", f"{key}\0{text}".encode("latin-1")),
             (b"IDAT", zlib.compress(rows, 9)), (b"IEND", b"")]
    return SIGNATURE + b"".join(struct.pack(">I", len(payload)) + kind + payload +
                                struct.pack(">I", zlib.crc32(kind + payload)) for kind, payload in parts)


def block_means(data, across=16, down=9):
    """The mean colour of each of across x down blocks: enough to see whether two pictures show the same."""
    width, height, pixels = read(data)
    means = []
    for j in range(down):
        for i in range(across):
            block = [pixels[y * width + x] for y in range(j * height // down, (j + 1) * height // down)
                     for x in range(i * width // across, (i + 1) * width // across)]
            means.append(tuple(sum(pixel[k] for pixel in block) / len(block) for k in range(3)))
    return means
