# SPDX-License-Identifier: Apache-2.0
"""`ecnomy reproduce`: the claims of the papers, measured again, each with a verdict.

What a paper says is data (configs/papers/<paper>/claims.yaml), what is measured is code
(reproduce/<paper>/); only judge.py brings them together.
"""

from __future__ import annotations

__all__: list[str] = []
