# SPDX-License-Identifier: Apache-2.0
"""What a run hands back: its folder, and its tables."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ecnomy.agents.errors import ResultsError
from ecnomy.markets.results.runtables import RunTables

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["RunResult"]


@dataclass(frozen=True)
class RunResult(RunTables):
    """The results of one run. Columns and units: markets/README.md.

    Attributes:
        folder: where they are.
        complete: whether the run came to its end.
    """

    folder: Path
    complete: bool

    def table(self, name: str) -> pd.DataFrame:
        """Read a table anew.

        Raises:
            ResultsError: this run has no such table.
        """
        import pandas as pd

        file = self.folder / f"{name}.parquet"
        if not file.is_file():
            raise ResultsError(f"{file}: this run has no such table")
        return pd.read_parquet(file)
