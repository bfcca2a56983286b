# SPDX-License-Identifier: Apache-2.0
"""The tutorial as data: its files, its commands, and their output.

Files are the code blocks below a name such as `market.yaml`. Lines below a command are part of
its output, in order. It needs only Python, so `make dist` runs it with an installed wheel:

    python tests/acceptance/tutorial_text.py PROGRAM     the words of `ecnomy`, in an empty folder
"""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

__all__ = ["LIMIT_S", "blocks", "differs", "said", "write_files"]

TUTORIAL: Final = Path(__file__).parents[2] / "configs/tutorial/README.md"
LIMIT_S: Final = 280


def blocks() -> list[tuple[str, str, str]]:
    """Name (or ""), language and text of each block."""
    text = TUTORIAL.read_text(encoding="utf-8")
    return re.findall(r"(?:^`(\S+)`:\n\n)?^```(\w+)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def said() -> list[tuple[list[str], list[str]]]:
    """The words of each command, and the lines of its output."""
    found: list[tuple[list[str], list[str]]] = []
    for _, language, text in blocks():
        for line in text.splitlines() if language == "console" else ():
            if line.startswith("$ "):
                found.append((shlex.split(line[2:]), []))
            else:
                found[-1][1].append(line)
    return found


def write_files(folder: Path) -> None:
    """Writes the files of the tutorial."""
    for name, _, text in blocks():
        if name:
            (folder / name).write_text(text, encoding="utf-8")


def differs(status: int, output: str, lines: Sequence[str]) -> str:
    """Returns how a command's output differs from the text; "" if it does not."""
    if status != 0:
        return f"exit status {status}\n{output}"
    left = output
    for line in lines:
        before, found, left = left.partition(line)
        if not found:
            return f"{line!r} was not printed after\n{before[-500:]}"
    return ""


def follow(program: Sequence[str]) -> int:
    """Follows the tutorial in an empty folder; returns the exit status."""
    with tempfile.TemporaryDirectory() as folder:
        write_files(Path(folder))
        for words, lines in said():
            began_s = time.monotonic()
            made = subprocess.run(
                [*program, *words[1:]],
                cwd=folder,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                stdin=subprocess.DEVNULL,
                text=True,
                timeout=LIMIT_S,
            )
            difference = differs(made.returncode, made.stdout, lines)
            print(f"{time.monotonic() - began_s:6.1f} s  {shlex.join(words)[:100]}  {difference}")
            if difference:
                return 1
    return 0


if __name__ == "__main__":
    sys.exit(follow(sys.argv[1:]))
