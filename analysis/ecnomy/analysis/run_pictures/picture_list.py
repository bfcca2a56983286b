# SPDX-License-Identifier: Apache-2.0
"""The list of a run's pictures, for `ecnomy show` and the page of a run."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path

import msgspec

from ecnomy.analysis.run.guarantors import providers_of
from ecnomy.markets.results.rawrun import RawRun

__all__ = ["RunPicture", "run_pictures"]


class RunPicture(msgspec.Struct, frozen=True):
    """A picture of a run.

    Attributes:
        id: the anchor of the picture on a page.
        name: the name in `ecnomy show`.
        file: the file name in a results folder.
        caption: the caption on a page.
        draw: a function that draws a PNG of 150 dpi; it returns False and writes no file if the
            run has nothing to draw.
    """

    id: str
    name: str
    file: str
    caption: str
    draw: Callable[[Path], bool]


def run_pictures(run: RawRun) -> list[RunPicture]:
    """Return the pictures of a run, in the order in which they are shown.

    Raises:
        ResultsError: a table is missing or unreadable.
    """
    from ecnomy.analysis.run_pictures.carriers_plot import carriers_picture
    from ecnomy.analysis.run_pictures.guarantees_plot import guarantee_picture
    from ecnomy.analysis.run_pictures.network_plot import network_picture
    from ecnomy.analysis.run_pictures.overview import overview

    def of(draw: Callable[..., bool], *more: object) -> Callable[[Path], bool]:
        return functools.partial(draw, run, *more)

    providers = providers_of(run)
    several = len(providers) > 1
    return [
        RunPicture(
            "overview",
            "picture",
            "overview.png",
            "Rates, money, congestion and queue over time",
            of(overview),
        ),
        RunPicture(
            "network",
            "map",
            "network.png",
            "The network: load and price of its links",
            of(network_picture),
        ),
        RunPicture(
            "carriers",
            "carriers",
            "carriers.png",
            "Carriers: prices, use, income and customers",
            of(carriers_picture),
        ),
        *(
            RunPicture(
                f"guarantee-{each.name}",
                each.name,
                f"guarantee-{each.name}.png" if several else "guarantee.png",
                f"{each.name}: marking, calls, promises and account",
                of(guarantee_picture, each),
            )
            for each in providers
        ),
    ]
