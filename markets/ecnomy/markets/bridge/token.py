# SPDX-License-Identifier: Apache-2.0
"""Read and compare the token, a shared secret in a file that only its owner can read."""

from __future__ import annotations

import hmac
import os
import secrets
import stat
from pathlib import Path
from typing import Final

from ecnomy.agents.errors import InputError
from ecnomy.markets.bridge.messages import Hello

__all__ = ["WRONG", "has_token", "token_in"]

# Name and text of an error.
WRONG: Final = "wrong-token", "the engine's token differs from the market's"
_BYTES: Final = 16


def has_token(hello: Hello, token: str) -> bool:
    """Return whether a hello has the market's token. The comparison takes constant time."""
    return hmac.compare_digest(hello.token.encode(), token.encode())


def token_in(file: Path) -> str:
    """Return the token in a file. A missing file is created with a new token.

    Raises:
        InputError: another user owns the file or has access to it, the file does not contain a
            token, or it cannot be read or created.
    """
    try:
        with open(os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w") as new:
            new.write(secrets.token_hex(_BYTES) + "\n")
    except FileExistsError:
        pass
    except OSError as error:
        raise InputError(f"token file {file}: {error.strerror}") from None
    return _read(file)


def _read(file: Path) -> str:
    try:
        with open(os.open(file, os.O_RDONLY | os.O_NONBLOCK), encoding="utf-8") as there:
            state = os.fstat(there.fileno())
            if not stat.S_ISREG(state.st_mode):
                raise InputError(f"token file {file}: expected a regular file")
            if state.st_mode & 0o077 or state.st_uid != os.geteuid():
                found = f"mode {stat.S_IMODE(state.st_mode):04o} of user {state.st_uid}"
                wanted = f"expected mode 0600 of user {os.geteuid()}"
                raise InputError(f"token file {file}: found {found}, {wanted} (chmod 600)")
            token = there.read(1025).strip()
    except UnicodeDecodeError:
        token = ""
    except OSError as error:
        raise InputError(f"token file {file}: {error.strerror}") from None
    if not token or len(token) > 1024 or len(token.split()) != 1:
        raise InputError(f"token file {file}: expected one word of at most 1,024 characters")
    return token
