# SPDX-License-Identifier: Apache-2.0
r"""Text from files and peers in a form that is safe for terminals.

Control characters can move the cursor, change earlier lines, or set a window's title. They are
written as escapes such as \x1b, and so are characters that reverse the direction of text or that
UTF-8 cannot encode.
"""

from __future__ import annotations

import re
from typing import Final, TextIO

__all__ = ["printable", "say"]

_UNFIT: Final = re.compile(
    "[\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f\\u2028-\\u202e\\u2066-\\u2069\\ud800-\\udfff]"
)


def printable(text: str) -> str:
    """Return the text with escapes for control characters. Newlines and tabs stay."""
    return _UNFIT.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def say(text: object, file: TextIO | None = None) -> None:
    """Print text that may come from a file or a peer. `file` None means standard output."""
    print(printable(str(text)), file=file, flush=True)
