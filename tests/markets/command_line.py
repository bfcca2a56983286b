# SPDX-License-Identifier: Apache-2.0
"""The command line, run in this process."""

from __future__ import annotations

import signal

import pytest

from ecnomy.markets.cli.main import main

__all__ = ["ecnomy"]


def ecnomy(*arguments: object) -> int:
    """Run a command line; return its exit status and restore the handling of SIGTERM."""
    before = signal.getsignal(signal.SIGTERM)
    try:
        with pytest.raises(SystemExit) as leaving:
            main([str(argument) for argument in arguments])
    finally:
        signal.signal(signal.SIGTERM, before)
    status = leaving.value.code
    return status if isinstance(status, int) else 0
