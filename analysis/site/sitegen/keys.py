# SPDX-License-Identifier: Apache-2.0
"""Writes the reference for YAML keys, from the entries that `ecnomy explain` prints.

Each section of a scenario (`network`, `sources`, ...) and each other kind of file has a page with a
heading per key. The laws, kinds and roles that a key may name have separate pages (`marking`,
`transport`, ...), where each has a heading above its keys.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from ecnomy.markets.reference.entry import Entry
from ecnomy.markets.reference.files import all_entries
from ecnomy.markets.reference.lookup import KeyGroup, below, grouped, sections
from sitegen.markdown import code, contents, escaped, link, slug

__all__ = ["FOLDER", "KeyPlace", "key_pages", "place"]

FOLDER: Final = "reference/keys"
_MOST_PATHS: Final = 3
_PLURALS: Final = {"law": "laws", "kind": "kinds", "role": "roles"}


class KeyPlace(NamedTuple):
    """The place of an entry: its page, its heading's anchor, and its form on that page."""

    page: str
    anchor: str
    written: str


def place(one: Entry) -> KeyPlace:
    """Return the place of an entry."""
    if one.variant:
        return KeyPlace(_family_page(one), slug(one.name), one.name)
    if one.within:
        variant = _variant_of(one)
        home = _home(variant)
        return KeyPlace(_family_page(home), slug(home.name), one.path[len(variant.path) + 1 :])
    return KeyPlace(_section_page(one), slug(one.path), one.path)


def key_pages() -> dict[str, str]:
    """Return all pages of the key reference."""
    made = dict(_section_pages()) | dict(_family_pages())
    tops = {f"{FOLDER}/{name}.md": name for name in ("scenario", "sweep", "environment")}
    inner = [_section_page(one) for one in sections(all_entries())]
    first = [page for page in dict.fromkeys(inner) if page not in tops and page in made]
    names = [*tops, *first, *sorted(page for page in made if page not in (*tops, *first))]
    made[f"{FOLDER}/index.md"] = "\n".join(
        [
            "# YAML keys\n",
            "Every key of scenario, sweep and environment files. `ecnomy explain KEY` prints the "
            "same on the command line.\n",
            contents(page.removeprefix(f"{FOLDER}/")[:-3] for page in names),
        ]
    )
    return made


def _section_page(one: Entry) -> str:
    if one.file != "scenario":
        return f"{FOLDER}/{one.file}.md"
    top = one.path.partition(".")[0]
    return f"{FOLDER}/{top if top in _mappings() else 'scenario'}.md"


@functools.cache
def _mappings() -> frozenset[str]:
    tops = sections(all_entries())
    return frozenset(one.path for one in tops if below(one, all_entries()))


def _family(variant: Entry) -> tuple[str, str]:
    """Return the key that names a variant, without its path, and `law`, `kind` or `role`."""
    steps = [step for step in variant.path.split(".") if step[0] != "<"]
    return steps[-1], variant.within[-1].partition(": ")[0]


def _family_page(variant: Entry) -> str:
    key, _ = _family(_home(variant))
    return f"{FOLDER}/{key}.md"


def _same(one: Entry) -> tuple[str, ...]:
    return (one.file, one.name, one.within[-1], one.about, one.takes)


@functools.cache
def _variants() -> dict[tuple[str, ...], KeyGroup]:
    """Return variants by their text, with all keys that name them."""
    groups = grouped(one for one in all_entries() if one.variant)
    return {_same(group.entry): group for group in groups}


def _home(variant: Entry) -> Entry:
    return _variants()[_same(variant)].entry


@functools.cache
def _by_within() -> dict[tuple[str, tuple[str, ...]], list[Entry]]:
    entries: dict[tuple[str, tuple[str, ...]], list[Entry]] = {}
    for one in all_entries():
        if one.variant:
            entries.setdefault((one.file, one.within), []).append(one)
    return entries


def _variant_of(one: Entry) -> Entry:
    near = [v for v in _by_within()[one.file, one.within] if one.path.startswith(f"{v.path}.")]
    return max(near, key=lambda v: len(v.path))


def _section_pages() -> Iterator[tuple[str, str]]:
    keys = [one for one in all_entries() if not one.variant and not one.within]
    for page in dict.fromkeys(_section_page(one) for one in keys):
        here = list(dict.fromkeys(one for one in keys if _section_page(one) == page))
        name = page.removeprefix(f"{FOLDER}/")[:-3]
        whole = name in ("scenario", "sweep", "environment")
        title = f"The {name} file" if whole else name
        parts = [f"# {title}\n", *(_key(one, page) for one in here)]
        if name == "scenario":
            parts.append(
                "Each section has its own page: "
                + ", ".join(
                    link(f"`{top}`", page, f"{FOLDER}/{top}.md")
                    for top in sorted(_mappings())
                    if any(_section_page(one) == f"{FOLDER}/{top}.md" for one in keys)
                )
                + ".\n"
            )
        yield page, "\n".join(parts)


def _key(one: Entry, page: str) -> str:
    lines = [f"## `{one.path}`\n", f"{escaped(one.about)}\n"]
    if one.note:
        lines.append(f"{escaped(one.note)}\n")
    facts = [("Takes", escaped(one.takes)), ("Default", _default(one))]
    facts += [("Words", _words(one, page)), ("Source", escaped(one.source))]
    lines += [f"- {head}: {text}" for head, text in facts if text]
    return "\n".join([*lines, "", code(one.example, "yaml")])


def _words(one: Entry, page: str) -> str:
    """Return the words that a key accepts, with links to laws, kinds and roles."""
    return _named(one, page) or ", ".join(f"`{word}`" for word in one.choices)


def _default(one: Entry) -> str:
    if one.default is None:
        return "none, the key is required"
    return f"`{one.default}`" if one.default else ""


def _named(one: Entry, page: str) -> str:
    inside = [v for v in below(one, all_entries()) if v.variant]
    links = [link(v.name, page, *place(v)[:2]) for v in inside]
    return ", ".join(dict.fromkeys(links))


def _family_pages() -> Iterator[tuple[str, str]]:
    families: dict[str, list[KeyGroup]] = {}
    for group in _variants().values():
        families.setdefault(_family_page(group.entry), []).append(group)
    inside = _keys_of_variants()
    for page, groups in families.items():
        key, word = _family(groups[0].entry)
        head = f"# {key}: {_PLURALS[word]}\n"
        bodies = (
            _variant(group, key, page, inside.get(_same(group.entry), ())) for group in groups
        )
        yield page, "\n".join([head, *bodies])


def _keys_of_variants() -> dict[tuple[str, ...], list[tuple[str, Entry]]]:
    """Return the keys of each variant, with their paths relative to it."""
    keys_by_variant: dict[tuple[str, ...], dict[str, Entry]] = {}
    for one in all_entries():
        if one.within and not one.variant:
            variant = _variant_of(one)
            keys = keys_by_variant.setdefault(_same(variant), {})
            keys.setdefault(one.path[len(variant.path) + 1 :], one)
    return {same: list(keys.items()) for same, keys in keys_by_variant.items()}


def _variant(group: KeyGroup, key: str, page: str, keys: Sequence[tuple[str, Entry]]) -> str:
    one, word = group.entry, group.of[0].partition(": ")[0]
    parts = [f"## {one.name}\n", f"{escaped(one.about)}\n"]
    if one.note:
        parts.append(f"{escaped(one.note)}\n")
    if word == "role":
        parts.append(f"{escaped(one.takes[:1].upper() + one.takes[1:])}.\n")
    paths = ", ".join(f"`{path}`" for path in group.paths[:_MOST_PATHS])
    more = len(group.paths) - _MOST_PATHS
    parts.append(f"Under {paths}{f' and {more} more' if more > 0 else ''}.\n")
    if one.source:
        parts.append(f"Source: {escaped(one.source)}\n")
    parts.append(code(f"{key}: {one.example}", "yaml"))
    parts += [_term(path, entry, page) for path, entry in keys]
    return "\n".join(parts)


def _term(path: str, one: Entry, page: str) -> str:
    said = " ".join(escaped(text) for text in (one.about, one.note) if text)
    given = "required" if one.default is None else f"default `{one.default}`" if one.default else ""
    facts = "; ".join(text for text in (_words(one, page) or escaped(one.takes), given) if text)
    body = "\n\n  ".join(text for text in (said, facts) if text)
    return f"`{path}`\n: {body}\n"
