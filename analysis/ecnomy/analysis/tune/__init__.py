# SPDX-License-Identifier: Apache-2.0
"""Searching parameters for the best of an outcome, or for a target of it: `ecnomy tune`."""

from __future__ import annotations

from ecnomy.analysis.tune.answer import Answer, Tried
from ecnomy.analysis.tune.tuned import tuned

__all__ = ["Answer", "Tried", "tuned"]
