# SPDX-License-Identifier: Apache-2.0
"""`ecnomy sensitivity`: ranks parameters by Sobol's or Morris's indices of an outcome."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ecnomy.analysis.support.first_use import on_first_use

if TYPE_CHECKING:
    from ecnomy.analysis.sensitivity.indices import Indices, ParameterIndices
    from ecnomy.analysis.sensitivity.sweep import sensitivity_of

__all__ = ["Indices", "ParameterIndices", "sensitivity_of"]

__getattr__ = on_first_use(
    __name__,
    {
        "ParameterIndices": "indices",
        "Indices": "indices",
        "sensitivity_of": "sweep",
    },
)
