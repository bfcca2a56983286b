# SPDX-License-Identifier: Apache-2.0
"""The alias `RunResult` for `Results`; the next release will remove the alias."""

from __future__ import annotations

from ecnomy.markets.results.results import Results as RunResult

__all__ = ["RunResult"]
