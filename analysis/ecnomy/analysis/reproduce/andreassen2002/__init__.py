# SPDX-License-Identifier: Apache-2.0
"""Tables and figures of andreassen2002: voice and web over one queue that marks."""

from __future__ import annotations

__all__: list[str] = []
