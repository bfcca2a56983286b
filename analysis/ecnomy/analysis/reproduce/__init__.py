# SPDX-License-Identifier: Apache-2.0
"""`ecnomy reproduce`: measures the claims of the papers again and gives each a verdict.

The claims are data (configs/papers/<paper>/claims.yaml), the measurements are code
(reproduce/<paper>/). Only judge.py compares the two.
"""

from __future__ import annotations

__all__: list[str] = []
