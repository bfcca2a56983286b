# SPDX-License-Identifier: Apache-2.0
"""Writes files durably, and refuses to read files that are incomplete or altered.

A JSON file holds the digest of its content under `digest`. The digest of a table is in the
manifest, and the name of a shard is its digest. Digests are SHA-256, truncated to 32 hexadecimal
digits. Files of earlier versions have no digest and are not checked.
"""

from __future__ import annotations

import errno
import functools
import hashlib
import os
import stat
from pathlib import Path
from typing import Any, Final

import msgspec

from ecnomy.agents.errors import ResultsError

__all__ = [
    "UNREADABLE",
    "check_file",
    "check_sealed",
    "digest_of",
    "read_regular",
    "sealed",
    "sync_file",
    "unreadable",
    "write_synced",
]

# Exceptions that reading another program's JSON may raise; RecursionError for deep nesting.
UNREADABLE: Final = msgspec.MsgspecError, ValueError, OverflowError, RecursionError

_DIGITS: Final = 32
_CHECKED_FILES: Final = 65_536  # digests that a process remembers at most
_ENCODE: Final = msgspec.json.Encoder(order="sorted").encode
_KEY: Final = "digest"


def sealed(content: Any) -> bytes:
    """Return a mapping or struct as JSON, with the digest of its content under the last key."""
    text = _ENCODE(content)
    comma = b"," if len(text) > len(b"{}") else b""
    return b'%s%s"%s":"%s"}' % (text[:-1], comma, _KEY.encode(), _digest(text).encode())


def check_sealed(file: Path, text: bytes, remedy: str) -> None:
    """Check a JSON file against its digest, which ignores layout and the order of keys.

    Args:
        file: file name for the message.
        text: content of the file.
        remedy: advice if the content differs, such as "run it again".

    Raises:
        ResultsError: the content has changed since it was written.
    """
    try:
        content = msgspec.json.decode(text, type=dict[str, Any])
        wanted = content.pop(_KEY, None)
        same = wanted is None or wanted == _digest(_ENCODE(content))
    except UNREADABLE:
        same = False
    if not same:
        raise _altered(file, remedy)


def read_regular(file: Path) -> bytes:
    """Return the content of a regular file.

    Raises:
        OSError: the file cannot be read, or is a pipe or a device, which may have no end.
    """
    # without O_NONBLOCK, opening a pipe would wait for a writer
    with open(os.open(file, os.O_RDONLY | os.O_NONBLOCK), "rb") as opened:
        if not stat.S_ISREG(os.fstat(opened.fileno()).st_mode):
            raise _not_regular(file)
        return opened.read()


def _not_regular(file: Path) -> OSError:
    return OSError(errno.EINVAL, "not a regular file", str(file))


def digest_of(file: Path) -> str:
    """Return the digest of a file."""
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()[:_DIGITS]


def check_file(file: Path, digest: str, remedy: str) -> None:
    """Check a file against its digest, once per process unless the file changes.

    Raises:
        ResultsError: the file is missing, unreadable or altered.
    """
    try:
        state = file.stat()
        if not stat.S_ISREG(state.st_mode):
            raise _not_regular(file)
        same = _same(file, (state.st_ino, state.st_size, state.st_mtime_ns), digest)
    except FileNotFoundError:
        raise ResultsError(f"{file} is missing; {remedy}") from None
    except OSError as error:
        raise unreadable(file, error, remedy) from None
    if not same:
        raise _altered(file, remedy)


def write_synced(file: Path, data: bytes, *, synced: bool = True) -> None:
    """Write a file atomically: write it under a temporary name, sync it, and rename it.

    The rename is durable once `sync_file` has returned for the folder.

    Args:
        file: final name of the file.
        data: content of the file.
        synced: whether to sync the file; False if it need not outlive the process.

    Raises:
        OSError: the file cannot be written. The old file stays unchanged.
    """
    temporary = file.with_name(file.name + ".tmp")
    try:
        with temporary.open("wb") as out:
            out.write(data)
            out.flush()
            if synced:
                os.fsync(out.fileno())
        temporary.replace(file)
    except OSError:
        temporary.unlink(missing_ok=True)
        raise


def sync_file(file: Path) -> None:
    """Wait until a file's content, or a folder's list of files, would survive a power loss."""
    handle = os.open(file, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@functools.lru_cache(maxsize=_CHECKED_FILES)
def _same(file: Path, version: tuple[int, int, int], digest: str) -> bool:
    return digest_of(file) == digest


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:_DIGITS]


def unreadable(file: Path, error: OSError, remedy: str) -> ResultsError:
    """Return the error for a file that cannot be read."""
    return ResultsError(f"{file}: cannot be read ({error.strerror}); {remedy}")


def _altered(file: Path, remedy: str) -> ResultsError:
    return ResultsError(
        f"{file}: its content has changed since it was written (digest differs); {remedy}"
    )
