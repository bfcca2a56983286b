# SPDX-License-Identifier: Apache-2.0
"""Reads and writes papers.json, so that equal outcomes give equal bytes.

    {"format": 3, "studies": {
     "paper/study": {"laws": [...], ...}, ...
    }, "records": [
    {"claim": ..., "verdict": ..., "reason": ..., "made_of": {...},
     "figures": [
      {"name": ..., "region": [low, high], "measured": [mean, low, high, n], "verdict": ...},
      ...
     ],
     "grid": [
      {"setting": ..., "alternative": ..., "verdict": ..., "figure": {...}},
      ...
     ]},
    ...
    ]}

Each quantity takes one line, together with its value in the quick form. `studies` and `made_of` are
digests (claim_digests.py).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

from ecnomy.agents.errors import ResultsError
from ecnomy.analysis.reproduce.claim_digests import StudyMade
from ecnomy.analysis.reproduce.recorded import RecordedClaim
from ecnomy.analysis.support.whole_file import write_whole
from ecnomy.markets.support.wording import other_format

__all__ = ["FORMAT", "RecordFile", "read_record", "write_record"]

FORMAT: Final = 3


class RecordFile(msgspec.Struct, frozen=True):
    """The contents of papers.json."""

    format: int
    records: list[RecordedClaim]
    studies: dict[str, StudyMade] = {}


class _Header(msgspec.Struct, frozen=True):
    format: int


def read_record(file: Path) -> RecordFile:
    """Return the recorded outcomes and the digests of their studies.

    Raises:
        ResultsError: the file is not a record of outcomes.
    """
    try:
        raw = file.read_bytes()
        file_format = msgspec.json.decode(raw, type=_Header).format
        if file_format == FORMAT:
            return msgspec.json.decode(raw, type=RecordFile)
    except (OSError, msgspec.DecodeError) as error:
        raise ResultsError(f"{file}: cannot read the record of claims ({error})") from None
    raise ResultsError(other_format(file, "record format", file_format, FORMAT))


def write_record(
    file: Path, records: Sequence[RecordedClaim], studies: Mapping[str, StudyMade] | None = None
) -> None:
    """Write a record to the file, so that equal outcomes give equal bytes."""
    text = ",\n".join(map(_text, records))
    each = [f' "{study}": {_line(made)}' for study, made in sorted((studies or {}).items())]
    studies_text = '"studies": {\n' + ",\n".join(each) + "\n}, " if each else ""
    head = f'{{"format": {FORMAT}, {studies_text}"records": ['
    write_whole(file, f"{head}\n{text}\n]}}\n".encode())


def _text(record: RecordedClaim) -> str:
    head = _line(msgspec.structs.replace(record, figures=(), grid=()))[:-1]
    for name, items in (("figures", record.figures), ("grid", record.grid)):
        if items:
            lines = ",\n  ".join(map(_line, items))
            head += f',\n "{name}": [\n  {lines}\n ]'
    return head + "}"


def _line(value: Any) -> str:
    return msgspec.json.format(msgspec.json.encode(value), indent=0).decode()
