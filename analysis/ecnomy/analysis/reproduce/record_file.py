# SPDX-License-Identifier: Apache-2.0
"""papers.json as a file: the same outcomes give the same bytes.

    {"format": 2, "probes": {"paper/study": digest, ...}, "records": [
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

One figure is one line, with what it was in the quick form beside it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

from ecnomy.agents.errors import ResultsError
from ecnomy.analysis.reproduce.recorded import Recorded
from ecnomy.analysis.whole_file import write_whole

__all__ = ["FORMAT", "read_probes", "read_record", "write_record"]

FORMAT: Final = 2


class _File(msgspec.Struct, frozen=True):
    format: int
    records: list[Recorded]
    probes: dict[str, str] = {}


def read_record(file: Path) -> list[Recorded]:
    """The recorded outcomes.

    Raises:
        ResultsError: it is no such record.
    """
    return _read(file).records


def read_probes(file: Path) -> dict[str, str]:
    """The recorded probes.

    Raises:
        ResultsError: it is no such record.
    """
    return _read(file).probes


def _read(file: Path) -> _File:
    try:
        found = msgspec.json.decode(file.read_bytes(), type=_File)
    except (OSError, msgspec.DecodeError) as error:
        raise ResultsError(f"{file}: no record of claims ({error})") from None
    if found.format != FORMAT:
        raise ResultsError(f"{file}: record format {found.format}, this version reads {FORMAT}")
    return found


def write_record(
    file: Path, records: Sequence[Recorded], probes: Mapping[str, str] | None = None
) -> None:
    """Write a record; the same outcomes give the same bytes."""
    text = ",\n".join(map(_text, records))
    each = [f' "{study}": "{digest}"' for study, digest in sorted((probes or {}).items())]
    told = '"probes": {\n' + ",\n".join(each) + "\n}, " if each else ""
    head = f'{{"format": {FORMAT}, {told}"records": ['
    write_whole(file, f"{head}\n{text}\n]}}\n".encode())


def _text(record: Recorded) -> str:
    head = _line(msgspec.structs.replace(record, figures=(), grid=()))[:-1]
    for name, items in (("figures", record.figures), ("grid", record.grid)):
        if items:
            lines = ",\n  ".join(map(_line, items))
            head += f',\n "{name}": [\n  {lines}\n ]'
    return head + "}"


def _line(value: Any) -> str:
    return msgspec.json.format(msgspec.json.encode(value), indent=0).decode()
