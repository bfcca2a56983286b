# SPDX-License-Identifier: Apache-2.0
"""`ecnomy doctor`: whether this installation can work, and what to do where it cannot."""

from __future__ import annotations

from ecnomy.markets.doctor.examine import examine
from ecnomy.markets.doctor.finding import Finding

__all__ = ["Finding", "examine"]
