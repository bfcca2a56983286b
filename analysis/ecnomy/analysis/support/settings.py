# SPDX-License-Identifier: Apache-2.0
"""Lists the settings of a scenario by dotted path, in readable units.

A manifest contains the scenario with all defaults, in the smallest units (19000000000 ps). This
module prints the same value as `19 ms`. As in `--set`, paths contain the names of list items
(`network.links.bottleneck.rate`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

import msgspec

from ecnomy.agents.errors import EcnomyError
from ecnomy.markets.inputs.variants import SELECTORS

__all__ = ["given_settings", "leaves", "named", "setting_words"]

_QUANTITY: Final = re.compile(r"(-?\d+(?:\.\d+)?(?:e[+-]?\d+)?) (ps|bit/s|bytes?|\S.*)")
# unit as written -> handier units with their sizes, the largest first; the last unit always fits
_HANDY: Final[dict[str, tuple[tuple[str, float], ...]]] = {
    "ps": (("s", 1e12), ("ms", 1e9), ("us", 1e6), ("ns", 1e3), ("ps", 1.0)),
    "bit/s": (("Gbps", 1e9), ("Mbps", 1e6), ("kbps", 1e3), ("bit/s", 1.0)),
    "byte": (("MB", 1e6), ("kB", 1e3), ("bytes", 1.0)),
}


def given_settings(scenario: Mapping[str, Any]) -> dict[str, Any]:
    """Return a manifest's scenario without defaults, or the whole scenario if it does not load.

    A scenario does not load if its custom classes are not on the Python path.
    """
    from ecnomy.markets.scenario import scenario_from_text

    try:
        return scenario_from_text(msgspec.json.encode(scenario).decode(), "<manifest>").given()
    except EcnomyError:
        return dict(scenario)


def setting_words(value: Any) -> str:
    """Return a value as text; a mapping as its law or kind, with all other keys in brackets."""
    if isinstance(value, Mapping):
        kind = next((str(value[key]) for key in SELECTORS if key in value), "")
        rest = [f"{k} {setting_words(v)}" for k, v in value.items() if k not in SELECTORS]
        rest_text = ", ".join(rest)
        return f"{kind} ({rest_text})" if kind and rest_text else kind or rest_text or "none"
    if isinstance(value, list):
        return ", ".join(map(setting_words, value)) or "none"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value:.12g}"
    return _quantity(value) if isinstance(value, str) else str(value)


def _quantity(text: str) -> str:
    match = _QUANTITY.fullmatch(text)
    if match is None:
        return text
    number, unit = float(match[1]), match[2]
    units = _HANDY.get("byte" if unit == "bytes" else unit, ((unit, 1.0),))
    for handy, size in units:
        if abs(number) >= size and float(f"{number / size:.6g}") * size == number:
            return f"{number / size:.12g} {handy}"
    return f"{number / units[-1][1]:.12g} {units[-1][0]}"


def named(value: Any) -> Any:
    """Return a list of named mappings as a mapping by name; any other value stays unchanged."""
    if not isinstance(value, list) or not value:
        return value
    names = [item.get("name") if isinstance(item, Mapping) else None for item in value]
    if not all(isinstance(name, str) for name in names) or len(set(names)) < len(names):
        return value
    rest = [{k: v for k, v in item.items() if k != "name"} for item in value]
    return dict(zip(names, rest, strict=True))


def leaves(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Yield the path and the value, as text, of every setting in a nested value.

    A mapping with a law or kind is one setting.
    """
    value = named(value)
    if isinstance(value, Mapping) and value and not any(key in value for key in SELECTORS):
        for key, inner in value.items():
            yield from leaves(inner, f"{path}.{key}" if path else str(key))
    elif isinstance(value, list) and any(isinstance(item, Mapping) for item in value):
        for index, inner in enumerate(value):
            yield from leaves(inner, f"{path}[{index}]")
    else:
        yield path, setting_words(value)
