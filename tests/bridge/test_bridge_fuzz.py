# SPDX-License-Identifier: Apache-2.0
"""Random and mutated frames are accepted or refused by name, without other outcomes."""

from __future__ import annotations

import random
import subprocess
from collections import Counter
from pathlib import Path

import pytest

import bridge_samples as samples
from ecnomy.agents.errors import ProtocolError
from ecnomy.markets.bridge import columns, decode_body
from ecnomy.markets.bridge import messages as m
from ecnomy.markets.bridge.checks import PlanSizes
from ecnomy.markets.bridge.scan import scan
from tiers import in_full

FRAMES = 100_000 if in_full() else 10_000
_NAMES = {
    *("frame-too-large", "frame-empty", "truncated", "not-messagepack", "too-deep"),
    *("trailing-bytes", "not-a-map", "unknown-type", "unknown-key", "missing-key"),
    *("duplicate-key", "wrong-type", "wrong-major", "wrong-order", "column-length"),
    *("column-name", "not-finite", "out-of-range", "unknown-flow", "unknown-link"),
}


def _judge(content: bytes, limits: PlanSizes) -> str:
    try:
        message = decode_body(content, limits)
    except ProtocolError as refusal:
        assert refusal.name in _NAMES
        return refusal.name
    scan(content)  # the scan must accept whatever the fast path accepts
    return f"ok {type(message).__name__.lower()}"


@pytest.fixture(scope="module")
def judged(peer: Path) -> list[tuple[bytes, str]]:
    """Random frames with the C++ decoder's verdicts, under sanitizers."""
    done = subprocess.run(
        [peer, "fuzz", str(FRAMES), "1", "dump"], capture_output=True, text=True, timeout=240
    )
    assert done.returncode == 0, done.stderr
    lines = (line.partition(" ") for line in done.stdout.splitlines())
    return [(bytes.fromhex(content), result) for content, _, result in lines]


def test_frames_through_the_cpp_decoder(judged: list[tuple[bytes, str]]) -> None:
    """The output contains only names of refusals and messages."""
    tally = Counter(result for _, result in judged)
    assert len(judged) == FRAMES
    assert tally["ok decide"] > FRAMES / 10
    refusals = {name for name in tally if not name.startswith("ok ")}
    assert refusals <= _NAMES
    assert len(refusals) >= 14


def test_both_languages_judge_alike(judged: list[tuple[bytes, str]]) -> None:
    """The C++ and the Python decoder accept or refuse the same frames."""
    limits = PlanSizes(n_flows=8, n_links=2, n_pairs=0)
    for content, theirs in judged:
        ours = _judge(content, limits)
        # A type that only engines send is a matter of order in C++ and of its keys in Python.
        if theirs == "wrong-order":
            continue
        assert ours.startswith("ok ") == theirs.startswith("ok "), (content, ours, theirs)


def _mutate(content: bytes, draw: random.Random) -> bytes:
    spoilt = bytearray(content)
    for _ in range(draw.randint(1, 4)):
        at = draw.randrange(len(spoilt))
        match draw.randrange(4):
            case 0:
                spoilt[at] = draw.randrange(256)
            case 1:
                del spoilt[at + 1 :]
            case 2:
                spoilt[at:at] = draw.randbytes(draw.randint(1, 9))
            case _:
                del spoilt[at : at + draw.randint(1, 9)]
                spoilt = spoilt or bytearray(b"\x80")
    return bytes(spoilt)


def test_ten_thousand_frames_through_the_python_decoder() -> None:
    """Noise and mutations of an engine's messages give refusals by name or messages."""
    draw = random.Random(3)
    seeds = [
        samples.body(message)
        for message in (
            samples.HELLO,
            samples.report(),
            m.Request(1, 2, 0, "call", 3),
            m.Record("series", samples.table(columns.RECORDS["series"], 2)),
            m.Hand('{"prices": {}}'),
            m.Alive(1, 2),
            m.Finish(1, 2, 3, 4, 0.5),
            m.Error("because"),
        )
    ]
    tally: dict[str, int] = {}
    for i in range(10_000):
        noise = i % 4 == 0
        content = (
            draw.randbytes(draw.randint(1, 99)) if noise else _mutate(draw.choice(seeds), draw)
        )
        result = _judge(content, samples.LIMITS)
        tally[result] = tally.get(result, 0) + 1
    assert sum(tally.values()) == 10_000
    assert len(tally) >= 14, tally
