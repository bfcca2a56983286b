# SPDX-License-Identifier: Apache-2.0
"""Convert frames of the bridge to messages and back (omnet/bridge/PROTOCOL.md).

msgspec decodes a body into the type that the body names. A body is scanned first (see `scan`),
unless it contains columns and has exactly the keys of its type. Columns are copied once into
aligned read-only arrays, so that the memory of the frame can be reused.
"""

from __future__ import annotations

import dataclasses
import struct
from typing import Any, Final

import msgspec
import numpy as np

from ecnomy.agents.errors import ProtocolError
from ecnomy.markets.bridge import columns as tables
from ecnomy.markets.bridge import messages as m
from ecnomy.markets.bridge.bins import RawColumns, arrays, bins, late_columns, optional_arrays
from ecnomy.markets.bridge.checks import (
    PlanSizes,
    check_decide,
    check_record,
    check_report,
    check_request,
)
from ecnomy.markets.bridge.scan import Buffer, map_entries, scan

__all__ = [
    "HEADER_BYTES",
    "MAJOR",
    "MAX_BODY_BYTES",
    "MINOR",
    "body_bytes",
    "decode_body",
    "encode",
    "type_name",
]

MAJOR: Final = 1
MINOR: Final = 3
MAX_BODY_BYTES: Final = 64 << 20
HEADER_BYTES: Final = 4

_HEADER: Final = struct.Struct(">I")
_INT64: Final = range(-(2**63), 2**63)
_UINT64: Final = range(2**64)


class _Protocol(msgspec.Struct):
    protocol: tuple[int, int]


class _Type(msgspec.Struct):
    type: str


class _Report(msgspec.Struct):
    t_ps: int
    epoch: int
    flows: RawColumns
    links: RawColumns
    pairs: RawColumns


class _Decide(msgspec.Struct):
    epoch: int
    flows: RawColumns
    links: RawColumns


class _Record(msgspec.Struct):
    table: str
    columns: RawColumns


_CLASSES: Final[dict[str, type[m.Message]]] = {
    c.__name__.lower(): c
    for c in (
        *(m.Hello, m.Welcome, m.Refuse, m.Report, m.Decide, m.Request),
        *(m.Verdict, m.Record, m.Hand, m.Alive, m.Finish, m.Bye, m.Error, m.Show),
    )
}
_KEYS: Final = {name: tuple(f.name for f in dataclasses.fields(c)) for name, c in _CLASSES.items()}
_OPTIONAL: Final = {"hello": ("show", "network")}
_WIRE: Final[dict[str, type[Any]]] = {
    **_CLASSES,
    "report": _Report,
    "decide": _Decide,
    "record": _Record,
}
_DECODERS: Final = {name: msgspec.msgpack.Decoder(c) for name, c in _WIRE.items()}
_PROTOCOL_DECODER: Final = msgspec.msgpack.Decoder(_Protocol)
_COLUMN_KEYS: Final = {
    "report": ("flows", "links", "pairs"),
    "decide": ("flows", "links"),
    "record": ("columns",),
}
_TOP_DECODER: Final = msgspec.msgpack.Decoder(dict[str, msgspec.Raw])
_TEXT_DECODER: Final = msgspec.msgpack.Decoder(str)
_TYPE_DECODER: Final = msgspec.msgpack.Decoder(_Type)
_ENCODER: Final = msgspec.msgpack.Encoder()


def type_name(message: m.Message) -> str:
    """Return the name that frames use for a message's type."""
    return type(message).__name__.lower()


def encode(message: m.Message) -> bytes:
    """Return the frame of a message, including the length of the body.

    Raises:
        ProtocolError: frame-too-large, column-length, wrong-type (a column that is neither int64
            nor float64).
    """
    name = type_name(message)
    fields: dict[str, object] = {"type": name}
    for key in _KEYS[name]:
        value = getattr(message, key)
        fields[key] = bins(key, value) if isinstance(value, dict) else value
    frame = bytearray(HEADER_BYTES)
    _ENCODER.encode_into(fields, frame, HEADER_BYTES)
    body = len(frame) - HEADER_BYTES
    if body > MAX_BODY_BYTES:
        raise ProtocolError("frame-too-large", f"{body} bytes to send")
    _HEADER.pack_into(frame, 0, body)
    return bytes(frame)


def body_bytes(header: Buffer) -> int:
    """Return the length of a frame's body, read from the first four bytes of the frame.

    Raises:
        ProtocolError: frame-empty, frame-too-large.
    """
    size: int = _HEADER.unpack(header)[0]
    if size == 0:
        raise ProtocolError("frame-empty", "an empty frame")
    if size > MAX_BODY_BYTES:
        raise ProtocolError(
            "frame-too-large",
            f"the frame announces {size} bytes, expected at most {MAX_BODY_BYTES}",
        )
    return size


def decode_body(
    body: Buffer, limits: PlanSizes | None = None, *, newer_peer: bool = False
) -> m.Message:
    """Return the message in a frame's body.

    Args:
        body: the bytes after the length.
        limits: sizes of the plan. Without limits, rows, indices, some ranges and the number of
            delay thresholds are not checked.
        newer_peer: whether to skip unknown keys and columns, because the peer's minor version is
            above ours.

    Raises:
        ProtocolError: the body is invalid. PROTOCOL.md lists the names of errors.
    """
    if len(body) > MAX_BODY_BYTES:
        raise ProtocolError(
            "frame-too-large", f"the frame has {len(body)} bytes, expected at most {MAX_BODY_BYTES}"
        )
    wire = _quick(body)
    if wire is None:
        wire, newer_peer = _careful(body, newer_peer)
    return _checked(_build(wire, limits, newer_peer), limits)


def _quick(body: Buffer) -> Any:
    """Decode a message with columns without a scan, or return None if the keys are not exact.

    The types exclude deep nesting. msgspec keeps the last of duplicate keys, but the number of
    entries reveals duplicates.
    """
    try:
        top = _TOP_DECODER.decode(body)
        name = _TEXT_DECODER.decode(top["type"])
        if name not in _COLUMN_KEYS or not len(top) == map_entries(body) == len(_KEYS[name]) + 1:
            return None
        wire = _DECODERS[name].decode(body)
        for key in _COLUMN_KEYS[name]:
            if len(getattr(wire, key)) != map_entries(memoryview(top[key])):
                return None
    except (KeyError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
    return wire


def _careful(body: Buffer, newer_peer: bool) -> tuple[Any, bool]:
    """Decode any message after a scan. Also return whether the peer's minor version is newer."""
    keys = scan(body)
    try:
        name = _type_of(body, keys)
        if "protocol" in _KEYS[name]:
            newer_peer = _is_newer(body, keys)
        _check_keys(name, keys, newer_peer)
        return _DECODERS[name].decode(body), newer_peer
    except msgspec.ValidationError as e:
        raise ProtocolError("wrong-type", str(e)) from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as e:
        raise ProtocolError("not-messagepack", str(e)) from None


def _type_of(body: Buffer, keys: dict[str, int]) -> str:
    if "type" not in keys:
        raise ProtocolError("missing-key", "type")
    name = _TYPE_DECODER.decode(body).type
    if name not in _CLASSES:
        raise ProtocolError("unknown-type", repr(name[:60]))
    return name


def _is_newer(body: Buffer, keys: dict[str, int]) -> bool:
    """Check the protocol version of the peer, and return whether it is newer than ours."""
    if "protocol" not in keys:
        raise ProtocolError("missing-key", "protocol")
    major, minor = _PROTOCOL_DECODER.decode(body).protocol
    if major != MAJOR:
        raise ProtocolError("wrong-major", f"the peer uses protocol {major}, expected {MAJOR}")
    if not 0 <= minor <= 2**31 - 1:
        raise ProtocolError("out-of-range", f"minor {minor}")
    return minor > MINOR


def _check_keys(name: str, keys: dict[str, int], newer: bool) -> None:
    wanted = _KEYS[name]
    for key in wanted:
        if key not in keys and key not in _OPTIONAL.get(name, ()):
            raise ProtocolError("missing-key", f"{key} in {name}")
    extra = next((key for key in keys if key != "type" and key not in wanted), None)
    if extra is not None and not newer:
        raise ProtocolError("unknown-key", f"{extra[:60]!r} in {name}")


def _build(wire: Any, limits: PlanSizes | None, newer: bool) -> m.Message:
    """Return the decoded message with arrays as columns."""
    if isinstance(wire, _Report):
        late = limits.late if limits else late_columns(wire.flows)
        rows = (limits.n_flows, limits.n_links, limits.n_pairs) if limits else (None, None, None)
        return m.Report(
            wire.t_ps,
            wire.epoch,
            arrays("flows", wire.flows, tables.report_flows(late), rows[0], newer, counts=True),
            arrays("links", wire.links, tables.REPORT_LINKS, rows[1], newer, counts=True),
            arrays("pairs", wire.pairs, tables.REPORT_PAIRS, rows[2], newer, counts=True),
        )
    if isinstance(wire, _Decide):
        flows = optional_arrays("flows", wire.flows, tables.decide_flows(wire.flows), newer)
        return m.Decide(
            wire.epoch, flows, optional_arrays("links", wire.links, tables.DECIDE_LINKS, newer)
        )
    if isinstance(wire, _Record):
        if wire.table not in tables.RECORDS:
            raise ProtocolError("out-of-range", f"record.table = {wire.table[:60]!r}")
        table = tables.RECORDS[wire.table]
        return m.Record(wire.table, arrays(wire.table, wire.columns, table, None, newer))
    message: m.Message = wire
    return message


def _checked(message: m.Message, limits: PlanSizes | None) -> m.Message:
    for key in _KEYS[type_name(message)]:
        value = getattr(message, key)
        if isinstance(value, bool):
            continue
        if isinstance(value, int) and value not in (_UINT64 if key == "seed" else _INT64):
            raise ProtocolError("out-of-range", f"{key} = {value}")
        if isinstance(value, int) and value < 0 and key != "id":
            raise ProtocolError("out-of-range", f"{key} = {value}")
        if isinstance(value, float) and not np.isfinite(value):
            raise ProtocolError("not-finite", f"{key} = {value}")
    if limits is None:
        return message
    if isinstance(message, m.Report):
        check_report(message, limits)
    elif isinstance(message, m.Decide):
        check_decide(message, limits)
    elif isinstance(message, m.Record):
        check_record(message, limits)
    elif isinstance(message, m.Request):
        check_request(message, limits)
    return message
