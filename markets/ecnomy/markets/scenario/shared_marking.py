# SPDX-License-Identifier: Apache-2.0
"""Apply `network.marking`, the marking law of all links that do not set their own.

In order of increasing precedence:

    drop-tail                   the default
    network.marking             every link, and both directions of a topology's links
    a link's `marking`          without a `law`: changes single values of the shared law;
                                with a `law`: replaces the shared law

The `marking` of a link is the law of its forward direction. The reverse direction is drop-tail
unless `reverse` sets a marking. Without a `law`, the marking in `reverse` or `overrides` also
changes single values of the shared law. A link with a `scheduler` ignores the shared law.
"""

from __future__ import annotations

from typing import Final

from ecnomy.markets.inputs.variants import merged
from ecnomy.markets.inputs.yamlfile import Node

__all__ = ["with_shared_marking"]

_KEY: Final = "marking"


def with_shared_marking(root: Node) -> Node:
    """Return the scenario's document with the shared marking applied to each link.

    Values that are not a network, link or marking stay unchanged; reading refuses them later.
    """
    network = root.mapping().get("network")
    shared = network.mapping().get(_KEY) if network is not None else None
    if network is None or shared is None or not isinstance(shared.value, dict):
        return root
    # Read the shared law first, so that its faults are reported at its place.
    values = {_KEY: shared, **network.mapping()}
    if (links := values.get("links")) and isinstance(links.value, list):
        values["links"] = Node([_link(item, shared) for item in links.value], links.place)
    if (overrides := values.get("overrides")) and isinstance(overrides.value, dict):
        own = {key: _refined(given, shared) for key, given in overrides.value.items()}
        values["overrides"] = Node(own, overrides.place, keys=overrides.keys)
    changed = Node(values, network.place, keys=network.keys)
    return Node({**root.mapping(), "network": changed}, root.place, keys=root.keys)


def _link(link: Node, shared: Node) -> Node:
    """Return a link with the shared marking, unless a scheduler or a `law` replaces it."""
    if not isinstance(link.value, dict):
        return link
    link = _refined(link, shared)
    values = dict(link.mapping())
    if (reverse := values.get("reverse")) is not None:
        values["reverse"] = _refined(reverse, shared)
    if not _given(values.get("scheduler")) and not _given(values.get(_KEY)):
        values[_KEY] = shared
    return Node(values, link.place, keys=link.keys)


def _refined(holder: Node, shared: Node) -> Node:
    """Return the holder; a marking without a `law` becomes the shared law with changed values."""
    own = holder.mapping().get(_KEY)
    if own is None or not isinstance(own.value, dict) or "law" in own.value:
        return holder
    values = {**holder.mapping(), _KEY: merged(shared, own)}
    return Node(values, holder.place, keys=holder.keys)


def _given(node: Node | None) -> bool:
    return node is not None and node.value is not None
