# SPDX-License-Identifier: Apache-2.0
"""A peer of a newer minor may send unknown keys with any value, and unknown columns."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest

import bridge_samples as samples
from ecnomy.agents.errors import ProtocolError
from ecnomy.markets.bridge import columns, decode_body, encode
from ecnomy.markets.bridge import messages as m
from processes import ended

NEWS: Final[list[object]] = [
    *(None, True, 0, -1, 2**63 - 1, -(2**63), 2**64 - 1, 0.5, float("nan"), float("inf")),
    *("", "é", b"", bytes(9), [], [1, [2]], {}, {"flows": {"flow": [None]}}),
    msgspec.msgpack.Ext(1, b"x" * 16),
]


def test_news_may_be_anything(peer: Path) -> None:
    """C++ and Python skip a new key of any type and size, and new columns of any length."""
    known = samples.decide_fields()
    news: list[dict[str, Any]] = [{"mood": value} for value in NEWS]
    news += [
        {part: known[part] | {"mood": bytes(size)}}
        for part in ("flows", "links")
        for size in (0, 8, 24)
    ]
    bodies = [samples.pack(known | new) for new in news]
    for body in bodies:
        got = decode_body(body, samples.LIMITS, newer_peer=True)
        assert samples.body(got) == samples.pack(known)
    command, frames = [str(peer), "decode", "3", "2", "newer"], map(samples.frame, bodies)
    done = subprocess.run(
        command, input=b"".join(frames), capture_output=True, timeout=60, check=False
    )
    verdicts = done.stdout.decode().split("\n")[:-1]
    assert [new for new, said in zip(news, verdicts, strict=True) if said != "ok decide"] == []


def test_a_table_of_news_alone_decides_nothing(peer: Path) -> None:
    """If the peer is newer, both languages read a table of only new columns as empty."""
    for part, read in (("flows", "links"), ("links", "flows")):
        fields = samples.decide_fields(**{part: {"mood": bytes(8)}})
        got = decode_body(samples.pack(fields), samples.LIMITS, newer_peer=True)
        assert isinstance(got, m.Decide)
        assert not getattr(got, part) and getattr(got, read)
        command = [str(peer), "decode", "3", "2"]
        for words, said in ((["newer"], "ok decide"), ([], "column-name")):
            done = subprocess.run(
                [*command, *words],
                input=samples.frame(samples.pack(fields)),
                capture_output=True,
                timeout=60,
                check=False,
            )
            assert done.stdout.decode().startswith(said)


def fields_of(message: m.Message) -> dict[str, Any]:
    """A message as a plain map."""
    fields = msgspec.msgpack.decode(samples.body(message))
    assert isinstance(fields, dict)
    return fields


@pytest.mark.parametrize(
    ("message", "part"),
    [
        (samples.report(), "flows"),
        (samples.report(), "links"),
        (samples.report(), "pairs"),
        (m.Record("series", samples.table(columns.RECORDS["series"], 5)), "columns"),
    ],
    ids=["report-flows", "report-links", "report-pairs", "record"],
)
def test_each_table_of_an_engine_may_have_more_columns(message: m.Message, part: str) -> None:
    """A new column is skipped for a newer minor and refused otherwise."""
    fields = fields_of(message)
    rich = samples.pack(fields | {part: fields[part] | {"mood": bytes(8)}})
    got = decode_body(rich, samples.LIMITS, newer_peer=True)
    assert samples.body(got) == samples.body(message)
    with pytest.raises(ProtocolError, match="column-name"):
        decode_body(rich, samples.LIMITS)


def test_a_newer_market_remains_newer(start_peer: Any) -> None:
    """The engine keeps the greeting's minor when it reads the sizes of its plan."""
    process, sock = start_peer("session", 1, 3)
    decision = samples.frame(samples.pack(samples.decide_fields(mood=1)))
    for answer in (encode(m.Welcome((1, 7))), decision, encode(m.Bye())):
        header = sock.recv(4)
        sock.recv(int.from_bytes(header, "big"))
        sock.sendall(answer)
    assert ended(process).status == 0
