# SPDX-License-Identifier: Apache-2.0
"""Golden vectors: the two languages write the same bytes for the same messages."""

from __future__ import annotations

import dataclasses
import subprocess
from pathlib import Path

import bridge_samples as samples
from ecnomy.markets.bridge import columns, encode
from ecnomy.markets.bridge import messages as m


def test_both_languages_write_the_same_bytes(peer: Path) -> None:
    """C++ and Python write the same bytes for every message, with integers at boundaries."""
    expected: list[m.Message] = [
        samples.HELLO,
        dataclasses.replace(samples.HELLO, show=True),
        samples.report(3, 2, 2, epoch=1),
        m.Request(-200, 70000, 2, "call", 300),
        m.Record("series", _series(5)),
        m.Hand('{"willingness": {"é": 1.5}}'),
        m.Alive(4294967296, 65535),
        m.Finish(-1, 128, 255, 256, 2.5),
        m.Error("x" * 40 + " é"),
    ]
    done = subprocess.run([peer, "encode"], capture_output=True, check=True, timeout=60)
    assert done.stdout == b"".join(encode(message) for message in expected)


def test_a_frame_written_by_hand() -> None:
    """One frame is written by hand, so that codecs are not only compared with each other."""
    assert encode(m.Verdict(5, True)) == (
        b"\x00\x00\x00\x1a\x83\xa4type\xa7verdict\xa2id\x05\xa6accept\xc3"
    )
    one_row = m.Decide(300, {}, samples.link_decision())
    assert encode(one_row) == (
        b"\x00\x00\x00\x53\x84\xa4type\xa6decide\xa5epoch\xcd\x01\x2c\xa5flows\x80\xa5links\x83"
        b"\xa4link\xc4\x08\x01\0\0\0\0\0\0\0\xa5param\xc4\x08\0\0\0\0\0\0\0\0"
        b"\xa5value\xc4\x08\0\0\0\0\0\0\xe0\x3f"
    )


def _series(rows: int) -> m.Columns:
    """The peer numbers its integer columns before its floats, as the table does."""
    return samples.table(columns.RECORDS["series"], rows)
