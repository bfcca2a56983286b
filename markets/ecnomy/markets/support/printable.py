# SPDX-License-Identifier: Apache-2.0
r"""Makes text from files and peers safe for terminals.

Control characters can move the cursor, change earlier lines, or set a window's title. All except
newlines and tabs are replaced by escapes such as \x1b. Unicode line separators, characters that
change the direction of text, and characters that UTF-8 cannot encode are escaped, too.
"""

from __future__ import annotations

import re
from typing import Final, TextIO

__all__ = ["printable", "say"]

_UNFIT: Final = re.compile(
    "[\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f\\u2028-\\u202e\\u2066-\\u2069\\ud800-\\udfff]"
)


def printable(text: str) -> str:
    """Return the text with unsafe characters escaped. Newlines and tabs stay."""
    return _UNFIT.sub(lambda match: match[0].encode("unicode_escape").decode(), text)


def say(text: object, file: TextIO | None = None) -> None:
    """Print text with unsafe characters escaped, by default to standard output."""
    print(printable(str(text)), file=file, flush=True)
