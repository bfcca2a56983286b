# SPDX-License-Identifier: Apache-2.0
"""Whether a strategy keeps its contract, in situations that its own tests would not cover.

    from ecnomy.markets.conformance import examine

    found = examine("my_lab.strategies:Patient", {"ceiling": 2.0})
    assert not found.defects, found.defects

Answers are judged by the roles that ask for them in a run, so that what passes here is what a
market takes, and what it refuses is found before a run is lost to it.
"""

from __future__ import annotations

from ecnomy.markets.conformance.examine import examine
from ecnomy.markets.conformance.findings import Examined, Finding

__all__ = ["Examined", "Finding", "examine"]
