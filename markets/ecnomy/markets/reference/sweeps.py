# SPDX-License-Identifier: Apache-2.0
"""The entries of a sweep file, from ecnomy.markets.sweep.keys and from installed packages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ecnomy.markets.inputs.amounts import Choice
from ecnomy.markets.reference.entry import Entry
from ecnomy.markets.reference.samples import readable
from ecnomy.markets.support.additions import load_added
from ecnomy.markets.sweep.keys import SWEEP, Key

__all__ = ["sweep_entries", "sweep_keys"]


def sweep_entries() -> Iterator[Entry]:
    """Yield the entries of a sweep file."""
    yield from _below(sweep_keys(), "")


def sweep_keys() -> dict[str, Key]:
    """Return the keys of a sweep file, with the keys that installed packages add."""
    more = load_added("sweep_keys")
    return {**SWEEP, **(more() if more else {})}


def _below(keys: Mapping[str, Key], path: str) -> Iterator[Entry]:
    for name, key in keys.items():
        here = f"{path}.{name}" if path else name
        if not name.startswith("<"):
            yield Entry(
                path=here,
                name=name,
                about=key.about,
                note=key.note,
                takes=readable(key.takes),
                default=key.default,
                choices=key.form.words if isinstance(key.form, Choice) else (),
                example=f"{name}: {key.example}",
                file="sweep",
            )
        yield from _below(key.below, here)
