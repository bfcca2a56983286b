# SPDX-License-Identifier: Apache-2.0
"""Tables and figures of andreassen2002: voice and web share one queue that marks packets."""

from __future__ import annotations

__all__: list[str] = []
