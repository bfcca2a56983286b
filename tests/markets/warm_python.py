# SPDX-License-Identifier: Apache-2.0
"""Python programs that start with the package loaded: forks of one process, which loads it once.

Loading takes 2 s, a fork 10 ms. Each program is the main module of a separate session and ends
as any Python does. In the full tier it is a new interpreter.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from processes import LIMIT_S, Ended, line_of
from tiers import in_full

__all__ = ["FORKS", "ended_python"]

FORKS: Final = """
import json, os, sys
from ecnomy.markets import open_market
for line in sys.stdin:
    code, arguments, environment, out, err = json.loads(line)
    pid = os.fork()
    if not pid:
        break
    print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)
else:
    os._exit(0)
os.setsid()
for number, file in ((0, os.devnull), (1, out), (2, err)):
    os.dup2(os.open(file, os.O_RDWR | os.O_CREAT), number)
os.environ.update(environment)
sys.argv[1:] = arguments
exec(compile(code, "<string>", "exec"))
"""


def ended_python(
    forks: subprocess.Popen[str],
    folder: Path,
    code: str,
    *arguments: object,
    environment: Mapping[str, str],
) -> Ended:
    """Run a program until it ends.

    Args:
        forks: the process that runs FORKS, with pipes.
        folder: folder for its output.
        code: code of the program.
        arguments: arguments of the program.
        environment: variables in addition to this process's.
    """
    words = [str(argument) for argument in arguments]
    if in_full():
        paths = {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
        done = subprocess.run(
            [sys.executable, "-c", code, *words], capture_output=True, text=True, timeout=LIMIT_S,
            check=False, start_new_session=True, env=os.environ | paths | dict(environment),
        )  # fmt: skip
        return Ended(done.returncode, done.stdout, done.stderr)
    out, err = folder / "printed", folder / "errors"
    assert forks.stdin is not None
    order = json.dumps([code, words, dict(environment), str(out), str(err)])
    print(order, file=forks.stdin, flush=True)
    return Ended(int(line_of(forks)), out.read_text(), err.read_text())
