# SPDX-License-Identifier: Apache-2.0
"""How a user installs what is missing: with the pip of the Python that misses it."""

from __future__ import annotations

import sys

__all__ = ["extras", "pip_install"]


def pip_install(what: str) -> str:
    """The command that installs `what` beside the running Python."""
    return f"{sys.executable} -m pip install '{what}'"


def extras() -> str:
    """The command that installs all optional packages, beside the ecnomy that is there."""
    return pip_install("ecnomy[all]")
