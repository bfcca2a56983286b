# SPDX-License-Identifier: Apache-2.0
"""The codec in both languages: invalid bodies are refused by the same name, valid ones pass."""

from __future__ import annotations

import subprocess
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bridge_samples as samples
from ecnomy.agents.errors import ProtocolError
from ecnomy.markets.bridge import columns, decode_body, encode
from ecnomy.markets.bridge import messages as m
from ecnomy.markets.bridge.codec import body_bytes

GOOD: list[m.Message] = [
    samples.HELLO,
    m.Welcome((1, 0)),
    m.Refuse("no"),
    samples.report(),
    m.Decide(4, samples.decision(), samples.link_decision()),
    m.Decide(4),
    m.Request(1, 2, 0, "call", 3),
    m.Verdict(1, True),
    m.Record("series", samples.table(columns.RECORDS["series"], 5)),
    m.Record("histograms", samples.table(columns.RECORDS["histograms"], 3)),
    m.Record("counts", samples.table(columns.RECORDS["counts"], 0)),
    m.Hand('{"prices": {"é": 0.5}}'),
    m.Alive(1, 2),
    m.Finish(1, 2, 3, 4, 0.5),
    m.Bye(),
    m.Error("because"),
]


def cpp_decode(peer: Path, frames: bytes, *options: str) -> list[str]:
    """The C++ decoder's verdict on each frame."""
    command = [str(peer), "decode", "3", "2", *options]
    done = subprocess.run(command, input=frames, capture_output=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode().split("\n")[:-1]


@pytest.mark.parametrize("message", GOOD, ids=lambda message: type(message).__name__)
def test_what_is_encoded_is_decoded(message: m.Message) -> None:
    """Every message survives the codec, columns as aligned read-only arrays in table order."""
    got = decode_body(samples.body(message), samples.LIMITS)
    assert type(got) is type(message)
    for field in fields(message):
        before, after = getattr(message, field.name), getattr(got, field.name)
        if not isinstance(before, dict):
            assert after == before
            continue
        assert list(after) == list(before)
        for name, values in after.items():
            np.testing.assert_array_equal(values, before[name])
            assert values.dtype == before[name].dtype
            assert values.flags.aligned and not values.flags.writeable


def test_columns_need_not_be_contiguous() -> None:
    """A column of a table stored by rows is sent like any other."""
    by_rows = np.arange(8.0).reshape(4, 2)
    decision = samples.decision() | {"weight": by_rows[: len(samples.decision()["weight"]), 1]}
    got = decode_body(samples.body(m.Decide(4, decision)), samples.LIMITS)
    assert isinstance(got, m.Decide)
    np.testing.assert_array_equal(got.flows["weight"], decision["weight"])


def test_columns_outlive_the_frame() -> None:
    """A decoded column keeps its values when the frame's memory is used again."""
    memory = bytearray(samples.body(samples.report()))
    got = decode_body(memory, samples.LIMITS)
    assert isinstance(got, m.Report)
    memory[:] = bytes(len(memory))
    np.testing.assert_array_equal(got.flows["sent"], [1000, 1001, 1002])


@pytest.mark.parametrize("case", samples.HOSTILE)
def test_python_refuses_by_name(case: str) -> None:
    """A hostile body is refused with its name, and with no other exception."""
    content, name = samples.HOSTILE[case]
    with pytest.raises(ProtocolError) as refusal:
        decode_body(content, samples.LIMITS)
    assert refusal.value.name == name


def test_cpp_refuses_by_the_same_names(peer: Path) -> None:
    """The C++ decoder gives the same names to the same bodies, under sanitizers."""
    frames = b"".join(samples.frame(content) for content, _ in samples.HOSTILE.values())
    expected = {case: name for case, (_, name) in samples.HOSTILE.items()}
    got = cpp_decode(peer, frames)
    assert dict(zip(samples.HOSTILE, got, strict=True)) == expected


# The first and the last character of each row of RFC 3629's table of forms, in UTF-8.
ENDS = [chr(code).encode() for code in (0, 0x7F, 0x80, 0x7FF, 0x800, 0xFFF, 0x1000, 0xCFFF, 0xD000)]
ENDS += [
    chr(code).encode()
    for code in (0xD7FF, 0xE000, 0xFFFF, 0x10000, 0x3FFFF, 0x40000, 0xFFFFF, 0x100000, 0x10FFFF)
]
BESIDE = [b"\x80", b"\xbf", b"\xc0\x80", b"\xc1\xbf", b"\xe0\x9f\xbf", b"\xed\xa0\x80"]
BESIDE += [b"\xed\xbf\xbf", b"\xf0\x8f\xbf\xbf", b"\xf4\x90\x80\x80", b"\xf5\x80\x80\x80", b"\xff"]
for end in ENDS:
    BESIDE += [end[:at] for at in range(1, len(end))]  # cut short
    BESIDE += [
        end[:at] + wrong + end[at + 1 :] for at in range(1, len(end)) for wrong in (b"a", b"\xc0")
    ]


def test_both_languages_know_utf_8(peer: Path) -> None:
    """C++ and Python accept the ends of each form of UTF-8, and refuse the values just beyond."""
    texts = [text + more for text in (*ENDS, *BESIDE) for more in (b"", b"a")]
    names = ["ok error"] * 2 * len(ENDS) + ["not-messagepack"] * 2 * len(BESIDE)
    bodies = [b"\x82\xa4type\xa5error\xa6reason" + bytes([0xA0 + len(t)]) + t for t in texts]
    verdicts = cpp_decode(peer, b"".join(map(samples.frame, bodies)))
    assert dict(zip(texts, verdicts, strict=True)) == dict(zip(texts, names, strict=True))
    for text, body, name in zip(texts, bodies, names, strict=True):
        if name == "ok error":
            assert decode_body(body) == m.Error(text.decode())
        else:
            with pytest.raises(ProtocolError, match=name):
                decode_body(body)


def test_cpp_takes_what_a_market_sends(peer: Path) -> None:
    """Good market messages pass; an engine's own messages are out of order."""
    frames = b"".join(encode(message) for message in GOOD)
    market = {"welcome", "refuse", "decide", "verdict", "bye", "error"}
    names = [type(message).__name__.lower() for message in GOOD]
    expected = [f"ok {name}" if name in market else "wrong-order" for name in names]
    assert cpp_decode(peer, frames) == expected


@pytest.mark.parametrize(
    ("stream", "name"),
    [
        (b"\xff\xff\xff\xff", "frame-too-large"),
        (b"\x04\x00\x00\x01", "frame-too-large"),
        (b"\x00\x00\x00\x00", "frame-empty"),
        (b"\x00\x00", "truncated"),
        (b"\x00\x00\x00\x09\x80", "truncated"),
    ],
)
def test_frame_lengths_in_cpp(peer: Path, stream: bytes, name: str) -> None:
    """A frame's length is judged before its body."""
    assert cpp_decode(peer, stream) == [name]


def test_frame_lengths_in_python() -> None:
    """The largest body has 64 MiB, and an empty body is refused."""
    assert body_bytes(b"\x04\x00\x00\x00") == 64 << 20
    for header, name in ((b"\x04\x00\x00\x01", "frame-too-large"), (bytes(4), "frame-empty")):
        with pytest.raises(ProtocolError) as refusal:
            body_bytes(header)
        assert refusal.value.name == name
    with pytest.raises(ProtocolError, match="frame-empty"):
        decode_body(b"")


def test_a_newer_minor_may_say_more(peer: Path) -> None:
    """Unknown keys and columns are skipped for a newer minor and refused otherwise."""
    rich = samples.decide_fields(mood={"a": [1, {"b": 2}]})
    rich["flows"] = samples.bins(samples.decision()) | {"colour": bytes(16)}
    content = samples.pack(rich)
    got = decode_body(content, samples.LIMITS, newer_peer=True)
    assert isinstance(got, m.Decide)
    assert list(got.flows) == list(columns.DECIDE_FLOWS)
    with pytest.raises(ProtocolError, match="unknown-key"):
        decode_body(content, samples.LIMITS)
    assert cpp_decode(peer, samples.frame(content), "newer") == ["ok decide"]
    assert cpp_decode(peer, samples.frame(content)) == ["unknown-key"]


def test_a_greeting_is_judged_by_its_own_minor(peer: Path) -> None:
    """A welcome or hello of a newer minor may carry more keys; an equal one may not."""
    for minor, verdict in ((7, "ok welcome"), (0, "unknown-key")):
        welcome = samples.pack({"type": "welcome", "protocol": [1, minor], "extra": 1})
        assert cpp_decode(peer, samples.frame(welcome)) == [verdict]
    hello = {"type": "hello", "protocol": [1, 7], "engine": "e", "version": "1", "extra": 1}
    hello |= {"plan_digest": "", "seed": 1, "token": ""}
    assert isinstance(decode_body(samples.pack(hello)), m.Hello)
    with pytest.raises(ProtocolError, match="unknown-key"):
        decode_body(samples.pack(hello | {"protocol": [1, 0]}))


@pytest.mark.parametrize(
    ("message", "name"),
    [
        (samples.report(flows=4), "column-length"),
        (samples.report(pairs=5), "column-length"),
        (m.Request(1, 2, 3, "call", 3), "unknown-flow"),
        (m.Request(1, 2, 0, "call", -3), "out-of-range"),
        (m.Alive(-1, 0), "out-of-range"),
        (m.Alive(2**63, 0), "out-of-range"),
        (m.Finish(0, 0, 0, 0, float("nan")), "not-finite"),
        (m.Record("gossip", {}), "out-of-range"),
        (m.Record("trace", samples.table(columns.RECORDS["trace"], 1)), "unknown-flow"),
        (m.Record("counts", samples.table(columns.RECORDS["histograms"], 1)), "column-name"),
        (m.Record("transfers", samples.table(columns.RECORDS["trace"], 1)), "column-name"),
    ],
)
def test_engine_messages_against_the_plan(message: m.Message, name: str) -> None:
    """Messages of an engine must fit its plan."""
    with pytest.raises(ProtocolError) as refusal:
        decode_body(samples.body(message), samples.LIMITS)
    assert refusal.value.name == name


def _with_last(table: str, name: str, value: float) -> bytes:
    """A report whose last row has this value in one column."""
    report = samples.report()
    getattr(report, table)[name][-1] = value
    return samples.body(report)


@pytest.mark.parametrize("table", ["flows", "links", "pairs"])
def test_no_value_of_a_report_is_negative(table: str) -> None:
    """A count, time or size below 0 is refused by the name of its column."""
    for name in getattr(samples.report(), table):
        with pytest.raises(ProtocolError, match=rf"{table}\.{name}\[\d\] = -1"):
            decode_body(_with_last(table, name, -1), samples.LIMITS)


@pytest.mark.parametrize("table", ["flows", "links"])
def test_every_value_of_a_report_is_finite(table: str) -> None:
    """NaN is refused by the name of its column, in each column of floats."""
    of_floats = [k for k, v in getattr(samples.report(), table).items() if v.dtype.kind == "f"]
    assert len(of_floats) > 1
    for name in of_floats:
        with pytest.raises(ProtocolError, match=rf"not-finite.*{table}\.{name}\[\d\] = nan"):
            decode_body(_with_last(table, name, np.nan), samples.LIMITS)


def test_no_probability_is_above_1() -> None:
    """A probability above 1, which only an engine of another program can report, is refused."""
    decode_body(_with_last("links", "probability", 1), samples.LIMITS)
    with pytest.raises(ProtocolError, match=r"out-of-range.*links\.probability\[1\] = 1\.5"):
        decode_body(_with_last("links", "probability", 1.5), samples.LIMITS)


def test_a_negative_zero_is_zero() -> None:
    """The sign of a zero does not make a report wrong."""
    got = decode_body(_with_last("flows", "cwnd", -0.0), samples.LIMITS)
    assert isinstance(got, m.Report)
    assert got.flows["cwnd"][-1] == 0


def test_late_columns_follow_the_plan() -> None:
    """A report has one `late` column for each delay threshold of the plan, no more and no fewer."""
    report = samples.report()
    for flows in (
        {k: v for k, v in report.flows.items() if k != "late_1"},
        report.flows | {"late_2": report.flows["late_1"]},
    ):
        spoilt = m.Report(0, 0, flows, report.links, report.pairs)
        with pytest.raises(ProtocolError, match="column-name"):
            decode_body(samples.body(spoilt), samples.LIMITS)


def test_encode_refuses_what_no_peer_takes() -> None:
    """Columns of another dtype or length and oversized frames are not sent."""
    cases: list[tuple[Any, str]] = [
        ({"flow": np.zeros(2, dtype=np.int32)}, "wrong-type"),
        ({"flow": np.zeros(2), "active": np.zeros(3)}, "column-length"),
        ({"flow": np.zeros(9 << 20)}, "frame-too-large"),
    ]
    for flows, name in cases:
        with pytest.raises(ProtocolError) as refusal:
            encode(m.Decide(0, flows))
        assert refusal.value.name == name


def test_cpp_encodes_only_what_a_market_accepts(peer: Path) -> None:
    """Uneven columns, oversized frames and scalars that are not finite are not sent."""
    command = [str(peer), "refuse"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout.split("\n")[:-1] == [
        "column-length: columns.subject",
        "column-length: columns.subject",
        "frame-too-large: t_ps",
        f"frame-too-large: {(64 << 20) + 45} bytes to send",
        "not-finite: cpu_s",
        "not-finite: cpu_s",
    ]
