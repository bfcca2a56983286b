# SPDX-License-Identifier: Apache-2.0
"""The head of a sweep's folder, sweep.json: what is swept, as resolved.

It is apart from store.py, so that readers of results need not load the market and its libraries.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import msgspec

from ecnomy.agents.errors import ResultsError
from ecnomy.markets.results.manifest import MANIFEST
from ecnomy.markets.support.intact import check_sealed

__all__ = ["HEAD", "head_of", "is_sweep"]

HEAD: Final = "sweep.json"


def is_sweep(folder: Path) -> bool:
    """Whether a folder holds a sweep."""
    return (folder / HEAD).is_file()


def head_of(folder: Path) -> dict[str, Any]:
    """The head of a sweep's folder: its file, points, and the unit of each parameter in `kinds`.

    `plan` is that of a sensitivity analysis, None or missing where there is none.

    Raises:
        ResultsError: it holds no sweep, or a head that is not what was written.
    """
    try:
        text = (folder / HEAD).read_bytes()
        head = msgspec.json.decode(text, type=dict[str, Any])
        if not {"points", "replicates", "kinds"} <= set(head):
            raise msgspec.ValidationError("keys are missing")
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        found = "the results of a run" if (folder / MANIFEST).exists() else f"no readable {HEAD}"
        raise ResultsError(f"{folder}: found {found}, expected those of `ecnomy sweep`") from None
    check_sealed(folder / HEAD, text, "run the sweep's command to write it again")
    return head
