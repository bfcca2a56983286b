# SPDX-License-Identifier: Apache-2.0
"""The former name of `Results`, which the next release removes."""

from __future__ import annotations

from ecnomy.markets.results.results import Results as RunResult

__all__ = ["RunResult"]
