# SPDX-License-Identifier: Apache-2.0
"""Scan a MessagePack body for faults before it is decoded.

The scan detects deep nesting, duplicate keys (of which msgspec keeps the last), an early end, and
bytes after the end. It skips the content of bins. Format:
github.com/msgpack/msgpack/blob/master/spec.md.
"""

from __future__ import annotations

from typing import Final

from ecnomy.agents.errors import ProtocolError

__all__ = ["MAX_DEPTH", "Buffer", "map_entries", "scan"]

MAX_DEPTH: Final = 8

Buffer = bytes | bytearray | memoryview

# Total size of values with a fixed size, by first byte.
_SIZE: Final = {
    **dict.fromkeys(range(0x00, 0x80), 1),
    **dict.fromkeys(range(0xE0, 0x100), 1),
    **dict.fromkeys((0xC0, 0xC2, 0xC3), 1),
    **{0xCC: 2, 0xCD: 3, 0xCE: 5, 0xCF: 9, 0xD0: 2, 0xD1: 3, 0xD2: 5, 0xD3: 9},
    **{0xCA: 5, 0xCB: 9, 0xD4: 3, 0xD5: 4, 0xD6: 6, 0xD7: 10, 0xD8: 18},
}
# Bytes of the length that follows the first byte, and bytes between it and the content.
_BLOB: Final = {
    **{0xC4: (1, 0), 0xC5: (2, 0), 0xC6: (4, 0)},
    **{0xC7: (1, 1), 0xC8: (2, 1), 0xC9: (4, 1)},
}
_TEXT: Final = {0xD9: 1, 0xDA: 2, 0xDB: 4}
# (is a map, bytes of the count) for containers whose first byte does not contain the count.
_CONTAINER: Final = {0xDC: (False, 2), 0xDD: (False, 4), 0xDE: (True, 2), 0xDF: (True, 4)}


def scan(body: Buffer) -> dict[str, int]:
    """Scan a body, and return the offset of each value in the top-level map by its key.

    Raises:
        ProtocolError: frame-empty, truncated, not-messagepack, too-deep, trailing-bytes,
            not-a-map, duplicate-key, wrong-type (a key that is not a string).
    """
    if len(body) == 0:
        raise ProtocolError("frame-empty", "an empty frame")
    head = body[0]
    if head == 0xC1:
        raise ProtocolError("not-messagepack", "found 0xc1 at byte 0")
    if not (0x80 <= head <= 0x8F or head in (0xDE, 0xDF)):
        raise ProtocolError("not-a-map", f"the frame starts with {head:#04x}, expected a map")
    count, pos = _count(body, 0)
    keys, end = _map(body, pos, count, 1)
    if end != len(body):
        raise ProtocolError(
            "trailing-bytes", f"the map ends at byte {end}, but the frame has {len(body)} bytes"
        )
    return keys


def map_entries(body: Buffer) -> int:
    """Return the number of entries that the map in `body` announces, or -1 if `body` is no map."""
    head = body[0]
    if not (0x80 <= head <= 0x8F or head in (0xDE, 0xDF)):
        return -1
    return _count(body, 0)[0]


def _truncated(body: Buffer) -> ProtocolError:
    return ProtocolError("truncated", f"the frame ends inside a value, at byte {len(body)}")


def _number(body: Buffer, pos: int, size: int) -> int:
    if pos + size > len(body):
        raise _truncated(body)
    return int.from_bytes(body[pos : pos + size], "big")


def _count(body: Buffer, pos: int) -> tuple[int, int]:
    """Return the number of entries of the container at `pos`, and the offset of the first entry."""
    head = body[pos]
    if head <= 0x9F:
        return head & 0x0F, pos + 1
    size = _CONTAINER[head][1]
    return _number(body, pos + 1, size), pos + 1 + size


def _text(body: Buffer, pos: int) -> tuple[str, int] | None:
    """Return the string at `pos` and the offset after it, or None for another kind of value."""
    head = body[pos]
    if 0xA0 <= head <= 0xBF:
        start = pos + 1
        end = start + (head & 0x1F)
    elif head in _TEXT:
        size = _TEXT[head]
        start = pos + 1 + size
        end = start + _number(body, pos + 1, size)
    else:
        return None
    if end > len(body):
        raise _truncated(body)
    try:
        return str(body[start:end], "utf-8"), end
    except UnicodeDecodeError:
        raise ProtocolError("not-messagepack", f"invalid UTF-8 in a string at byte {pos}") from None


def _map(body: Buffer, pos: int, count: int, depth: int) -> tuple[dict[str, int], int]:
    keys: dict[str, int] = {}
    for _ in range(count):
        if pos >= len(body):
            raise _truncated(body)
        text_and_end = _text(body, pos)
        if text_and_end is None:
            raise ProtocolError("wrong-type", f"the key at byte {pos} is not a string")
        key, pos = text_and_end
        if key in keys:
            raise ProtocolError("duplicate-key", repr(key[:60]))
        keys[key] = pos
        pos = _value(body, pos, depth)
    return keys, pos


def _value(body: Buffer, pos: int, depth: int) -> int:
    """Return the offset after the value at `pos`, in a container of depth `depth`."""
    if pos >= len(body):
        raise _truncated(body)
    head = body[pos]
    if head in _SIZE:
        end = pos + _SIZE[head]
    elif head in _BLOB:
        size, gap = _BLOB[head]
        end = pos + 1 + size + gap + _number(body, pos + 1, size)
    elif 0x80 <= head <= 0x9F or head in _CONTAINER:
        return _container(body, pos, depth + 1)
    else:
        text_and_end = _text(body, pos)
        if text_and_end is None:
            raise ProtocolError("not-messagepack", f"found {head:#04x} at byte {pos}")
        return text_and_end[1]
    if end > len(body):
        raise _truncated(body)
    return end


def _container(body: Buffer, pos: int, depth: int) -> int:
    if depth > MAX_DEPTH:
        raise ProtocolError("too-deep", f"values are nested deeper than {MAX_DEPTH} levels")
    head = body[pos]
    is_map = _CONTAINER[head][0] if head in _CONTAINER else head <= 0x8F
    count, pos = _count(body, pos)
    if is_map:
        return _map(body, pos, count, depth)[1]
    for _ in range(count):
        pos = _value(body, pos, depth)
    return pos
