# SPDX-License-Identifier: Apache-2.0
"""Check that a strategy gives valid answers in situations that its own tests may not cover.

    from ecnomy.markets.conformance import examine

    found = examine("my_lab.strategies:Patient", {"ceiling": 2.0})
    assert not found.defects, found.defects

The roles judge the answers as in a run, so the check finds the answers that a market would refuse.
"""

from __future__ import annotations

from ecnomy.markets.conformance.examine import examine
from ecnomy.markets.conformance.findings import Examined, StrategyFinding

__all__ = ["Examined", "StrategyFinding", "examine"]
