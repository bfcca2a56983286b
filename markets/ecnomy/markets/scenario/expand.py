# SPDX-License-Identifier: Apache-2.0
"""Expand the topologies and demands of a document into links and sources."""

from __future__ import annotations

import msgspec

from ecnomy.markets.scenario.document import Document
from ecnomy.markets.scenario.places import Places

__all__ = ["expanded"]


def expanded(document: Document, places: Places) -> tuple[Document, Places]:
    """Return the document with topologies and demands expanded, and the places of its values.

    Raises:
        ScenarioError: a topology or a demand matrix cannot be expanded.
    """
    network, topology = document.network, None
    if network.topology is not None:
        from ecnomy.markets.scenario.topology import open_topology
        from ecnomy.markets.scenario.topology_links import with_links

        topology = open_topology(network.topology, network.names, places)
        network, places = with_links(network, topology, places)
        document = msgspec.structs.replace(document, network=network)
    elif network.marking is not None:  # every link already has this marking
        network = msgspec.structs.replace(network, marking=None)
        document = msgspec.structs.replace(document, network=network)
    if document.demands:
        from ecnomy.markets.scenario.topology_demands import with_demands

        document, places = with_demands(document, topology, places)
    return document, places
