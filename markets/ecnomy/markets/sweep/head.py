# SPDX-License-Identifier: Apache-2.0
"""Reads the head of a sweep's folder (sweep.json), which holds the resolved sweep.

This module is separate from store.py, so that readers of results do not load the market and its
libraries.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import msgspec

from ecnomy.agents.errors import ResultsError
from ecnomy.markets.results.manifest import MANIFEST, SWEEP
from ecnomy.markets.support.intact import UNREADABLE, check_sealed, read_regular
from ecnomy.markets.support.printable import printable
from ecnomy.markets.support.wording import other_format
from ecnomy.markets.sweep.parts import PARTS

__all__ = ["FORMAT", "HEAD", "OtherFormat", "head_of", "is_sweep"]

FORMAT: Final = 1
HEAD: Final = SWEEP


class OtherFormat(ResultsError):
    """A sweep's folder has a format that this version cannot read and must not change."""


def is_sweep(folder: Path) -> bool:
    """Return whether a folder holds a sweep."""
    return (folder / HEAD).is_file()


def head_of(folder: Path) -> dict[str, Any]:
    """Return the head of a sweep's folder, with the points and the parameters' units (`kinds`).

    `plan` is the plan of a sensitivity analysis. In other sweeps it is None or missing.

    Raises:
        OtherFormat: the head has a format of another version of ecnomy.
        ResultsError: the folder does not hold a sweep, or its head is unreadable or altered.
    """
    try:
        text = read_regular(folder / HEAD)
        head = msgspec.json.decode(text, type=dict[str, Any])
        if (found := head.get("format", FORMAT)) != FORMAT:
            shown = printable(str(found))
            raise OtherFormat(other_format(folder / HEAD, "sweep format", shown, FORMAT))
        if not {"points", "replicates", "kinds"} <= set(head):
            raise msgspec.ValidationError("keys are missing")
    except (OSError, *UNREADABLE):
        if (folder / PARTS).is_dir() and not is_sweep(folder):
            raise ResultsError(
                f"{folder}: found shards, expected a sweep; merge the shards with `ecnomy merge`"
            ) from None
        found = "the results of a run" if (folder / MANIFEST).exists() else f"no readable {HEAD}"
        raise ResultsError(
            f"{folder}: found {found}, expected the results of `ecnomy sweep`"
        ) from None
    check_sealed(folder / HEAD, text, "run the sweep's command to write it again")
    return head
