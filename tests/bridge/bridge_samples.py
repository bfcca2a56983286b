# SPDX-License-Identifier: Apache-2.0
"""Messages and hostile bodies shared by several bridge tests."""

from __future__ import annotations

import socket
import struct
from typing import Any, Final

import msgspec
import numpy as np

from ecnomy.markets.bridge import EngineLink, columns, encode
from ecnomy.markets.bridge import messages as m
from ecnomy.markets.bridge.checks import PlanSizes

SEED: Final = 2**64 - 1
LIMITS: Final = PlanSizes(n_flows=3, n_links=2, n_pairs=6, late=2)
HELLO: Final = m.Hello((1, 3), "peer", "0.1", "abc123", SEED, "secret")


def link(sock: socket.socket, **changes: Any) -> EngineLink:
    """Make a link for LIMITS and HELLO. `changes` replace its arguments."""
    arguments: dict[str, Any] = {
        **{"n_flows": 3, "n_links": 2, "n_pairs": 6, "late": 2},
        **{"plan_digest": "abc123", "seed": SEED, "token": "secret"},
    }
    return EngineLink(sock, **(arguments | changes))


def table(names: columns.Table, rows: int) -> m.Columns:
    """Make a table: row i of column j is 1000 (j + 1) + i, as a float (j + 1 + i / 4) / 64."""
    data: m.Columns = {}
    for j, (name, dtype) in enumerate(names.items(), start=1):
        row = np.arange(rows, dtype=np.int64)
        data[name] = (j + row / 4) / 64 if dtype == columns.FLOAT else 1000 * j + row
    return data


def report(flows: int = 3, links: int = 2, pairs: int = 6, *, epoch: int = 0) -> m.Report:
    """Make a report at `epoch` seconds."""
    rows = table(columns.REPORT_PAIRS, pairs)
    rows["source"] = np.arange(pairs, dtype=np.int64)
    rows["link"] = np.arange(pairs, dtype=np.int64) % max(1, links)
    return m.Report(
        epoch * 10**12,
        epoch,
        table(columns.report_flows(2), flows),
        table(columns.REPORT_LINKS, links),
        rows,
    )


def decision(**changes: Any) -> m.Columns:
    """Make two rows of decide.flows; `changes` replace columns."""
    rows = {
        "flow": np.array([0, 2]),
        "mark_rate": np.array([2.5, -1.0]),
        "rate_cap_bps": np.array([-1.0, 1e6]),
        "mark_cap": np.array([-1, 100]),
        "active": np.array([1, 0]),
        "weight": np.array([-1.0, 2.5]),
    }
    return rows | {name: np.array(values) for name, values in changes.items()}


def link_decision(**changes: Any) -> m.Columns:
    """Make one row of decide.links; `changes` replace columns."""
    rows = {"link": np.array([1]), "param": np.array([0]), "value": np.array([0.5])}
    return rows | {name: np.array(values) for name, values in changes.items()}


def body(message: m.Message) -> bytes:
    """A message without its frame's length."""
    return encode(message)[4:]


def pack(fields: object) -> bytes:
    """The MessagePack form of a value."""
    return msgspec.msgpack.encode(fields)


def frame(content: bytes) -> bytes:
    """A body with its length."""
    return struct.pack(">I", len(content)) + content


def bins(data: m.Columns) -> dict[str, bytes]:
    """Columns in the form of the protocol."""
    return {name: values.tobytes() for name, values in data.items()}


def decide_fields(**changes: Any) -> dict[str, Any]:
    """A decision as a plain map, for tests that damage it."""
    fields = {
        **{"type": "decide", "epoch": 0},
        **{"flows": bins(decision()), "links": bins(link_decision())},
    }
    return fields | changes


def _hostile_structure() -> dict[str, tuple[bytes, str]]:
    good = pack(decide_fields())
    twice = good
    for table in (pack(bins(decision())), pack(bins(link_decision()))):  # 0x80 + columns, entries
        count = 2 * (table[0] - 0x80)
        twice = twice.replace(table, b"\xde" + struct.pack(">H", count) + 2 * table[1:])
    deep = b"\x91" * 100_000 + b"\xc0"
    return {
        "never-used byte": (b"\xc1", "not-messagepack"),
        "never-used byte inside": (b"\x81\xa4type\xc1", "not-messagepack"),
        "text that is not UTF-8": (b"\x81\xa4type\xa2\xc3\x28", "not-messagepack"),
        "an integer": (b"\x07", "not-a-map"),
        "an array": (pack([1, 2]), "not-a-map"),
        "100,000 nested arrays": (deep, "not-a-map"),
        "100,000 nested arrays in a value": (b"\x81\xa4type" + deep, "too-deep"),
        "100,000 nested arrays in a column": (
            b"\x83\xa4type\xa6decide\xa5epoch\x00\xa5flows\x81\xa4flow" + deep,
            "too-deep",
        ),
        "100,000 nested maps": (b"\x81\xa1a" * 100_000 + b"\xc0", "too-deep"),
        "an array of 4 billion": (b"\x82\xa4type\xa3bye\xa1x\xdd\xff\xff\xff\xff", "truncated"),
        "a map of 4 billion": (b"\xdf\xff\xff\xff\xff", "truncated"),
        "a bin of 4 GiB": (b"\x81\xa5flows\x81\xa4flow\xc6\xff\xff\xff\xff", "truncated"),
        "a truncated bin": (good[:-20], "truncated"),
        "trailing bytes": (good + b"\x00", "trailing-bytes"),
        "a number for a key": (b"\x82\xa4type\xa3bye\x01\x02", "wrong-type"),
        "a key twice": (b"\x82\xa4type\xa3bye\xa4type\xa3bye", "duplicate-key"),
        "a column twice": (
            b"\x84\xa4type\xa6decide\xa5epoch\x00\xa5links\x80\xa5flows\x82\xa4flow\xc4\x00"
            b"\xa4flow\xc4\x00",
            "duplicate-key",
        ),
        "all columns twice": (twice, "duplicate-key"),
        "an epoch twice": (b"\x85" + good[1:] + b"\xa5epoch\x00", "duplicate-key"),
    }


def _hostile_decisions() -> dict[str, tuple[bytes, str]]:
    def spoilt(**changes: Any) -> bytes:
        return pack(decide_fields(flows=bins(decision()) | changes))

    def flows(**changes: Any) -> bytes:
        return pack(decide_fields(flows=bins(decision(**changes))))

    def links(**changes: Any) -> bytes:
        return pack(decide_fields(links=bins(link_decision(**changes))))

    missing = {k: v for k, v in bins(decision()).items() if k != "mark_cap"}
    return {
        "no type": (pack({"epoch": 0}), "missing-key"),
        "an unknown type": (pack({"type": "offer"}), "unknown-type"),
        "an unknown key": (pack(decide_fields(mood=1)), "unknown-key"),
        "another message's key": (pack(decide_fields(reason="x")), "unknown-key"),
        "no links": (pack({"type": "decide", "epoch": 0, "flows": {}}), "missing-key"),
        "a float for an epoch": (pack(decide_fields(epoch=1.0)), "wrong-type"),
        "a negative epoch": (pack(decide_fields(epoch=-1)), "out-of-range"),
        "an epoch beyond int64": (pack(decide_fields(epoch=2**63)), "out-of-range"),
        "a list for columns": (pack(decide_fields(flows=[])), "wrong-type"),
        "text for a column": (spoilt(flow="x" * 16), "wrong-type"),
        "a list for a column": (spoilt(flow=[1, 2]), "wrong-type"),
        "an extension for a column": (spoilt(flow=msgspec.msgpack.Ext(1, b"x" * 16)), "wrong-type"),
        "a missing column": (pack(decide_fields(flows=missing)), "column-name"),
        "a foreign column": (spoilt(colour=bytes(16)), "column-name"),
        "a bin of 9 bytes": (spoilt(flow=bytes(9)), "column-length"),
        "columns that disagree": (spoilt(active=bytes(24)), "column-length"),
        **{
            f"{size} bytes of {name}": (spoilt(**{name: bytes(size)}), "column-length")
            for name in decision()
            for size in (0, 8, 24)
        },
        "NaN": (flows(mark_rate=[1.0, np.nan]), "not-finite"),
        "an infinite cap": (flows(rate_cap_bps=[np.inf, 1.0]), "not-finite"),
        "a rate of -2": (flows(mark_rate=[-2.0, 1.0]), "out-of-range"),
        "a rate of -0.5": (flows(mark_rate=[-0.5, 1.0]), "out-of-range"),
        "a mark cap of -2": (flows(mark_cap=[0, -2]), "out-of-range"),
        "active 2": (flows(active=[2, 0]), "out-of-range"),
        "a flow twice": (flows(flow=[1, 1]), "out-of-range"),
        "an unknown flow": (flows(flow=[0, 3]), "unknown-flow"),
        "a negative flow": (flows(flow=[-1, 0]), "unknown-flow"),
        "an unknown link": (links(link=[2]), "unknown-link"),
        "a negative parameter": (links(param=[-1]), "out-of-range"),
        "a NaN parameter": (links(value=[np.nan]), "not-finite"),
        "a verdict of 1": (pack({"type": "verdict", "id": 1, "accept": 1}), "wrong-type"),
        "another major": (pack({"type": "welcome", "protocol": [2, 0]}), "wrong-major"),
        "a minor of 2^31": (pack({"type": "welcome", "protocol": [1, 2**31]}), "out-of-range"),
        "a negative minor": (pack({"type": "welcome", "protocol": [1, -1]}), "out-of-range"),
        "a minor alone": (pack({"type": "welcome", "protocol": [1]}), "wrong-type"),
    }


HOSTILE: Final[dict[str, tuple[bytes, str]]] = _hostile_structure() | _hostile_decisions()
