# SPDX-License-Identifier: Apache-2.0
"""The parameters that matter to an outcome: Sobol's and Morris's indices, `ecnomy sensitivity`."""

from __future__ import annotations

from ecnomy.analysis.sensitivity.indices import Index, Indices
from ecnomy.analysis.sensitivity.sweep import sensitivity_of

__all__ = ["Index", "Indices", "sensitivity_of"]
