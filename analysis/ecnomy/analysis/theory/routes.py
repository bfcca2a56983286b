# SPDX-License-Identifier: Apache-2.0
"""The incidence of flows and links, and the marking probability of a whole path.

Independent links compose by 1 - m = prod(1 - m_l) (Athuraliya, Low 2000, Eq. 3). For small m the
path's probability is the sum of the m_l, as in the charge of Siris et al. 2002, Eq. 1.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ecnomy.agents.arrays import Floats
from ecnomy.agents.errors import InputError

__all__ = ["incidence", "path_marking"]


def incidence(routes: Sequence[Sequence[int]], links: int) -> Floats:
    """Return 1 where a route (row) crosses a link (column), otherwise 0; shape (routes, links).

    Raises:
        InputError: a route is empty or crosses a link that does not exist.
    """
    use = np.zeros((len(routes), links))
    for flow, route in enumerate(routes):
        if not route or not all(0 <= link < links for link in route):
            raise InputError(
                f"route {flow} must cross at least one link, and only links that exist"
            )
        use[flow, list(route)] = 1.0
    return use


def path_marking(routes: Sequence[Sequence[int]], link_marking: npt.ArrayLike) -> Floats:
    """Return the probability that a packet is marked on its path: 1 - prod(1 - m_l).

    Args:
        routes: for each flow, the indices of the links that it crosses.
        link_marking: m_l, shape (..., links); links mark independently.

    Returns:
        Shape (..., routes).

    Raises:
        InputError: a probability is outside [0, 1], or a route crosses a link that does not exist.
    """
    marking = np.asarray(link_marking, dtype=np.float64)
    if marking.ndim == 0 or not ((marking >= 0) & (marking <= 1)).all():
        raise InputError("expected one marking probability in [0, 1] per link")
    crossed = incidence(routes, marking.shape[-1]) > 0
    unmarked = np.where(crossed, 1 - marking[..., np.newaxis, :], 1.0)
    return np.asarray(1 - unmarked.prod(axis=-1), dtype=np.float64)
