# SPDX-License-Identifier: Apache-2.0
"""Records a folder's writes step by step, and gives the possible states after a power loss.

A created or removed name lasts once the folder is synced, content once the file is. Otherwise
each step may be lost alone (writes are reordered), and content that was not synced may be
cut in half, or be zeros of the right length.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

State = dict[str, bytes]


class _File:
    """The content of a file, under any name."""

    def __init__(self, data: bytes, synced: bool) -> None:
        self.data, self.synced = data, synced


class Disk:
    """Records syncs, renames and removals in a folder; files are complete when renamed."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._patch = folder, pytest.MonkeyPatch()
        self._names = {f.name: _File(f.read_bytes(), True) for f in folder.iterdir()}
        self._pending: list[tuple[str, _File | None]] = []  # names since the folder was synced
        self._synced: dict[tuple[int, int], bool] = {}
        self._states: list[State] = []

    def __enter__(self) -> Disk:
        fsync, replace, unlink = os.fsync, Path.replace, Path.unlink

        def synced(handle: int) -> None:
            fsync(handle)
            stat = os.fstat(handle)
            if stat.st_ino == self._folder.stat().st_ino:
                self._names = _applied(self._names, self._pending)
                self._pending = []
            else:
                self._synced[stat.st_ino, stat.st_size] = True
            self._look()

        def replaced(file: Path, target: Any) -> Path:
            if file.parent == self._folder:
                stat = file.stat()
                known = self._synced.pop((stat.st_ino, stat.st_size), False)
                self._pending.append((Path(target).name, _File(file.read_bytes(), known)))
                self._look()
            return replace(file, target)

        def unlinked(file: Path, missing_ok: bool = False) -> None:
            if file.parent == self._folder and file.exists():
                self._pending.append((file.name, None))
                self._look()
            unlink(file, missing_ok)

        self._patch.setattr(os, "fsync", synced)
        self._patch.setattr(Path, "replace", replaced)
        self._patch.setattr(Path, "unlink", unlinked)
        return self

    def __exit__(self, *_: object) -> None:
        self._patch.undo()

    def states(self) -> Iterator[State]:
        """The possible states after each step, each state once."""
        seen = set()
        for state in self._states:
            key = tuple(sorted(state.items()))
            if key not in seen:
                seen.add(key)
                yield state

    def certain(self) -> State:
        """The files whose names and content no loss of power can remove now."""
        return {name: file.data for name, file in self._names.items() if file.synced}

    def _look(self) -> None:
        pending = self._pending
        left = [pending, [], *([one] for one in pending)]
        left += [pending[:i] + pending[i + 1 :] for i in range(len(pending))]
        for kept in left:
            names = _applied(self._names, kept)
            for spoilt in (lambda data: data[: len(data) // 2], lambda data: bytes(len(data))):
                self._states.append(
                    {n: f.data if f.synced else spoilt(f.data) for n, f in names.items()}
                )
            self._states.append({n: f.data for n, f in names.items()})


def _applied(names: dict[str, _File], steps: list[tuple[str, _File | None]]) -> dict[str, _File]:
    files = dict(names)
    for name, file in steps:
        if file is None:
            files.pop(name, None)
        else:
            files[name] = file
    return files
