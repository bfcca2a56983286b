# SPDX-License-Identifier: Apache-2.0
"""The engines that a test starts."""

from __future__ import annotations

from typing import Any

import pytest

from ecnomy.markets.engines.process import EngineProcess


def noted_pids(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Process ids of the engines from now on, as they are started."""
    start, pids = EngineProcess.__init__, []

    def noted(self: EngineProcess, *args: Any, **words: Any) -> None:
        start(self, *args, **words)
        pids.append(self.pid)

    monkeypatch.setattr(EngineProcess, "__init__", noted)
    return pids
