# SPDX-License-Identifier: Apache-2.0
"""`ecnomy reproduce`: repeats the measurements behind the claims of papers and judges each claim.

The claims are data (configs/papers/<paper>/claims.yaml). The measurements are code
(reproduce/<paper>/). Only judge.py compares the two.
"""

from __future__ import annotations

__all__: list[str] = []
