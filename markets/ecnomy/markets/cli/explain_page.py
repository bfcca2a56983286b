# SPDX-License-Identifier: Apache-2.0
"""Print the output of `ecnomy explain`: a few entries in full, or a list with two lines each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ecnomy.markets.cli.printing import hanging
from ecnomy.markets.reference.entry import Entry
from ecnomy.markets.reference.lookup import KeyGroup, below, grouped, parent_of

__all__ = ["show_groups", "show_list", "show_units"]

_FULL: Final = 8  # largest number of entries printed in full
_MOST_PATHS: Final = 3


def show_groups(groups: Sequence[KeyGroup], entries: Sequence[Entry]) -> None:
    """Print variants or else a few keys in full, with their contents, and other keys as a list."""
    variants = [group for group in groups if group.entry.variant]
    keys = [group for group in groups if not group.entry.variant]
    full = variants + (keys if len(keys) <= _FULL and not variants else [])
    for number, group in enumerate(full):
        if number:
            print()
        _show(group, entries)
    if len(full) < len(groups):
        if full:
            print("\nKeys with this name:")
        show_list(keys)
        if of := next((group.of[0] for group in keys if group.of), ""):
            law = of.partition(": ")[2]
            print(f"\nTo see one of them in full, run: ecnomy explain {law}.{keys[0].entry.name}")


def show_units() -> None:
    """Print the usual units of values in YAML, one line per quantity."""
    from ecnomy.markets.inputs.units import PER, USUAL

    print("units of values, as in `rate: 10 Mbps`")
    names = {"s": "times", "bit/s": "rates", "byte": "sizes", "money": "money"}
    names |= {"packet/s": "per second", "mark/s": "per second"}
    units_by_quantity: dict[str, list[str]] = {}
    for unit, (_, base) in USUAL.items():
        if "/" not in base or base in names:
            units_by_quantity.setdefault(names.get(base, "counts"), []).append(unit)
    units_by_quantity["prices"] = [f"money/{one}" for one in PER]
    longest = max(map(len, units_by_quantity))
    for quantity, spellings in units_by_quantity.items():
        print(hanging(f"  {quantity:<{longest}}  ", ", ".join(spellings)))
    print("Prefixes k, M, G and T are 10^3, 10^6, 10^9 and 10^12.")


def show_list(groups: Sequence[KeyGroup]) -> None:
    """Print each entry in two lines: its path, and its description."""
    for group in groups:
        print(hanging("", _title(group)))
        print(hanging("    ", group.entry.about))


def _title(group: KeyGroup) -> str:
    one, inside = group.entry, []
    if group.of:
        key = group.of[0].partition(": ")[0]
        inside.append(f"{key}: {_some([words.partition(': ')[2] for words in group.of])}")
    if one.file != "scenario":
        inside.append(f"{one.file} file")
    return f"{one.path}  ({', '.join(inside)})" if inside else one.path


def _some(words: Sequence[str]) -> str:
    more = len(words) - _MOST_PATHS
    return ", ".join(words[:_MOST_PATHS]) + (f" and {more} more" if more > 0 else "")


def _show(group: KeyGroup, entries: Sequence[Entry]) -> None:
    one = group.entry
    print(f"{one.name}  ({one.within[-1]})" if one.variant else hanging("", _title(group)))
    print(hanging("  ", one.about))
    if one.note:
        print(hanging("  ", one.note))
    children = grouped(below(one, entries))
    keys = [step for step in one.path.split(".") if step[0] != "<"]
    if one.variant:
        key = keys[-1]
        rows = [("under", _some(group.paths)), ("example", f"{key}: {one.example}")]
        rows.insert(0, ("takes", "" if children else one.takes))
    else:
        default = "required" if one.default is None else one.default
        rows = [("takes", one.takes), ("default", default), ("also at", _some(group.paths[1:]))]
        rows.append(("example", f"{keys[-2]}: {one.whole}" if one.whole else one.example))
        if parent := parent_of(one, entries):
            rows.insert(0, ("in", f"{parent.name}: {parent.about}"))
    rows += [("for", ", ".join(one.roles)), ("source", one.source)]
    for head, text in rows:
        if text:
            print(hanging(f"  {head:<8} ", text))
    _show_children(children)


def _show_children(groups: Sequence[KeyGroup]) -> None:
    keys = [group.entry for group in groups if not group.entry.variant]
    variants = [group.entry for group in groups if group.entry.variant]
    if variants:
        print()
    longest = max((len(one.name) for one in variants), default=0)
    for one in variants:
        print(hanging(f"  {one.name:<{longest}}  ", one.about))
    if keys:
        print()
    longest = max((len(one.name) for one in keys), default=0)
    for one in keys:
        given = f"= {one.default}" if one.default else "required" if one.default is None else ""
        print(f"  {one.name:<{longest}}  {given}".rstrip())
        print(hanging("      ", f"{one.about} {one.note}".rstrip()))
        if not one.choices:
            print(hanging("      ", f"[{one.takes}]"))
        else:
            print(hanging("      ", f"[{' | '.join(one.choices)}]"))
