# SPDX-License-Identifier: Apache-2.0
"""`ecnomy tune`: search for parameters with the best outcome, or with a target outcome."""

from __future__ import annotations

from ecnomy.analysis.tune.answer import Answer, Tried
from ecnomy.analysis.tune.tuned import tuned

__all__ = ["Answer", "Tried", "tuned"]
