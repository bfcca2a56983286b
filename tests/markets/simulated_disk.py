# SPDX-License-Identifier: Apache-2.0
"""A disk that loses power: a seed decides which writes, renames and removals survive.

The files of a folder are real, and every change of them passes through here. A file's data are
safe once it has been synced, its name once its folder has been. When the power fails, names that
are not safe survive in any combination (or those before some moment, as with a journal), and data
that are not safe survive whole, in part, as zeros or not at all. A kill leaves all that the process
has handed to the system. Either strikes at an operation, before it, after it or in its middle.
"""

from __future__ import annotations

import errno
import io
import os
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

FULL, GLITCH, KILL, POWER = "full", "glitch", "kill", "power"


class Crash(BaseException):
    """The process ends at this point, and its later actions do not reach the disk."""


class _File:
    """The content of a file: the current one, and that at its last sync (None before the first)."""

    def __init__(self, data: bytes = b"", synced: bytes | None = None) -> None:
        self.data, self.synced = data, synced


class _Writer:
    """An open file; what is written leaves the process with `flush` or `close`."""

    def __init__(self, disk: Disk, path: str, real: Any) -> None:
        self._disk, self._path, self._real, self._waiting = disk, path, real, b""

    def __enter__(self) -> _Writer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def fileno(self) -> int:
        return int(self._real.fileno())

    def write(self, data: bytes) -> int:
        self._waiting += data
        return len(data)

    def flush(self) -> None:
        waiting, self._waiting = self._waiting, b""
        if waiting:
            self._disk.written(self._path, self._real, waiting)

    def close(self) -> None:
        try:
            if not self._disk.dead:
                self.flush()
        finally:
            self._real.close()


class Disk:
    """The disk under a folder, as a context: outside it the system's own calls are back.

    Attributes:
        dead: whether the process has crashed.
        whole: the contents that a file had when it took its name, by path.
    """

    def __init__(self, root: Path, draw: random.Random) -> None:
        self._root, self._draw = str(root) + os.sep, draw
        self._files: dict[str, _File] = {}
        self._safe: dict[str, _File] = {}
        self._unsafe: list[
            tuple[str, dict[str, _File | None]]
        ] = []  # folder, new contents of its names
        self.whole: dict[str, set[bytes]] = {}
        self.dead, self._trouble, self._left = False, "", -1
        self._open, self._replace, self._unlink = io.open, os.replace, os.unlink
        self._mkdir, self._fsync = os.mkdir, os.fsync
        self._patches: list[mock._patch[Any]] = [
            mock.patch.object(io, "open", self._opened),
            mock.patch.object(os, "replace", self._renamed),
            mock.patch.object(os, "rename", self._renamed),
            mock.patch.object(os, "unlink", self._removed),
            mock.patch.object(os, "remove", self._removed),
            mock.patch.object(os, "mkdir", self._folder_made),
            mock.patch.object(os, "fsync", self._synced),
        ]

    def __enter__(self) -> Disk:
        for patch in self._patches:
            patch.start()
        return self

    def __exit__(self, *_: object) -> None:
        for patch in self._patches:
            patch.stop()

    def arm(self, trouble: str, after: int) -> None:
        """Plans `trouble` ("" for none) for the operation with this number, counted from now."""
        self.dead, self._trouble, self._left = False, trouble, after

    def start_again(self) -> None:
        """Restarts after a crash, with the surviving files."""
        if self.dead and self._trouble == POWER:
            self._lose()
        self.arm("", -1)

    def damage(self, path: Path, data: bytes) -> None:
        """Damages the content of a file."""
        with self._open(path, "wb") as out:
            out.write(data)
        self._files[str(path)] = self._safe[str(path)] = _File(data, data)

    def written(self, path: str, real: Any, data: bytes) -> None:
        """Writes the data that the process flushes. A crash or a full disk may truncate them."""

        def write(share: bytes) -> None:
            real.write(share)
            real.flush()
            self._files[path].data += share

        part = data[: self._draw.randrange(len(data) + 1)] if self._left == 1 else b""
        self._do(lambda: write(data), lambda: write(part), fills=True)

    def _do(
        self, effect: Callable[[], Any], part: Callable[[], Any] | None = None, fills: bool = False
    ) -> Any:
        """Carries out an operation. In case of trouble only `part` of it remains."""
        if self.dead:
            raise Crash
        self._left -= 1
        if self._trouble == FULL and self._left <= 0 and fills:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        if self._left != 0 or self._trouble in ("", FULL):
            return effect()
        if self._trouble == GLITCH:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        self.dead = True
        if part is not None:
            part()
        elif self._draw.random() < 0.5:
            effect()
        raise Crash

    def _ours(self, path: Any) -> bool:
        return not isinstance(path, int) and os.fspath(path).startswith(self._root)

    def _opened(self, file: Any, mode: str = "r", *args: Any, **kwargs: Any) -> Any:
        if not self._ours(file) or not set(mode) & set("wx+a") or Path(file).name == "lock":
            return self._open(file, mode, *args, **kwargs)

        def make() -> _Writer:
            path = os.fspath(file)
            assert mode in ("wb", "xb"), f"{path}: mode {mode} is not simulated"
            real = self._open(file, mode)
            self._files[path] = _File()
            self._unsafe.append((os.path.dirname(path), {path: self._files[path]}))
            return _Writer(self, path, real)

        return self._do(make, lambda: make().close(), fills=True)

    def _renamed(self, source: Any, target: Any) -> None:
        if not self._ours(target):
            return self._replace(source, target)
        old, new = os.fspath(source), os.fspath(target)

        def rename() -> None:
            self._replace(old, new)
            file = self._files[new] = self._files.pop(old)
            self.whole.setdefault(new, set()).add(file.data)
            self._unsafe.append((os.path.dirname(new), {old: None, new: file}))

        self._do(rename)

    def _removed(self, path: Any, **kwargs: Any) -> None:
        if not self._ours(path):
            return self._unlink(path, **kwargs)
        name = os.fspath(path)

        def remove() -> None:
            self._unlink(name)
            self._files.pop(name, None)
            self._unsafe.append((os.path.dirname(name), {name: None}))

        self._do(remove)

    def _folder_made(self, path: Any, *args: Any, **kwargs: Any) -> None:
        """Folders are safe at once, although their contents may be lost."""
        if self._ours(path) and self.dead:
            raise Crash
        self._mkdir(path, *args, **kwargs)

    def _synced(self, file: Any) -> None:
        number = file if isinstance(file, int) else file.fileno()
        path = os.readlink(f"/proc/self/fd/{number}")
        if not self._ours(path):
            return self._fsync(number)

        def sync() -> None:
            if path in self._files:
                self._files[path].synced = self._files[path].data
            for folder, names in self._unsafe:
                if folder == path:
                    _become(self._safe, names)
            self._unsafe = [one for one in self._unsafe if one[0] != path]

        self._do(sync)

    def _lose(self) -> None:
        """The power fails, and comes back."""
        left, unsafe = dict(self._safe), self._unsafe
        if self._draw.random() < 0.5:  # a journal
            chosen = unsafe[: self._draw.randrange(len(unsafe) + 1)]
        else:
            share = self._draw.random()
            chosen = [one for one in unsafe if self._draw.random() < share]
        for _, names in chosen:
            _become(left, names)
        for path in self._files.keys() - left.keys():
            self._unlink(path)
        for path, file in left.items():
            data = self._torn(file)
            if path not in self._files or self._files[path].data != data:
                with self._open(path, "wb") as out:
                    out.write(data)
            left[path] = _File(data, data)
        self._files, self._safe, self._unsafe = left, dict(left), []

    def _torn(self, file: _File) -> bytes:
        if file.synced == file.data or not file.data:
            return file.data
        cut = self._draw.randrange(len(file.data))
        zeros = file.data[:cut] + bytes(len(file.data) - cut)
        return self._draw.choice((file.data, file.data, file.data[:cut], zeros, b""))


def _become(names: dict[str, _File], change: dict[str, _File | None]) -> None:
    for name, file in change.items():
        if file is None:
            names.pop(name, None)
        else:
            names[name] = file
