# SPDX-License-Identifier: Apache-2.0
"""The command that installs missing packages for the running Python."""

from __future__ import annotations

import sys

__all__ = ["extras", "pip_install"]


def pip_install(what: str) -> str:
    """Return the command that installs `what` for the running Python."""
    return f"{sys.executable} -m pip install '{what}'"


def extras() -> str:
    """Return the command that adds all optional packages to the installed ecnomy."""
    return pip_install("ecnomy[all]")
