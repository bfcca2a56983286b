# SPDX-License-Identifier: Apache-2.0
"""The name that results of a run had before they were `Results`; it goes with the next release."""

from __future__ import annotations

from ecnomy.markets.results.results import Results as RunResult

__all__ = ["RunResult"]
