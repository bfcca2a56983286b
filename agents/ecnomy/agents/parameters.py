# SPDX-License-Identifier: Apache-2.0
"""Units of strategy parameters: `patience: Annotated[float, Unit("s")] = 10.0`.

The scenario loader reads the annotation, so that users may write `patience: 10 s`, and hands the
strategy the number in that unit. A parameter without a Unit is a plain number, truth value or text.
"""

from __future__ import annotations

import dataclasses

__all__ = ["Unit"]


@dataclasses.dataclass(frozen=True)
class Unit:
    """The unit a strategy wants a parameter in, such as `s` or `money/s`."""

    name: str
