# SPDX-License-Identifier: Apache-2.0
"""A command that ends on a signal passes the default signal handlers to the processes it starts."""

from __future__ import annotations

import signal
import subprocess
import sys

from processes import LIMIT_S


def test_what_starts_after_a_termination_can_be_ended() -> None:
    """A worker started by an ending driver does not ignore SIGTERM, although the driver does."""
    code = """
import os, signal, subprocess, sys
from ecnomy.markets.cli.ending import stoppable
told = "from signal import *; print(*(getsignal(s) is SIG_DFL for s in (SIGTERM, SIGHUP)))"
with stoppable():
    try:
        os.kill(os.getpid(), signal.SIGTERM)
    finally:
        os.kill(os.getpid(), signal.SIGTERM)
        os.kill(os.getpid(), signal.SIGHUP)
        subprocess.run([sys.executable, "-c", told], timeout=60)
"""
    words = [sys.executable, "-c", code]
    done = subprocess.run(words, timeout=LIMIT_S, capture_output=True, text=True, check=False)
    assert done.returncode == 128 + signal.SIGTERM
    assert done.stdout.split() == ["True", "True"] and "terminated" in done.stderr
