# SPDX-License-Identifier: Apache-2.0
"""How a user installs what is missing: with the pip of the Python that misses it."""

from __future__ import annotations

import sys

__all__ = ["pip_install"]


def pip_install(what: str) -> str:
    """The command that installs `what` beside the running Python."""
    return f"{sys.executable} -m pip install '{what}'"
