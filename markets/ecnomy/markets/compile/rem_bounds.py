# SPDX-License-Identifier: Apache-2.0
"""Warnings about REM steps beyond the stability bounds (rem_loops.py), and unreadable prices."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final

from ecnomy.markets.compile.rem_loops import Loop, loops, paths
from ecnomy.markets.compile.rem_steps import link_paths
from ecnomy.markets.inputs.amounts import AUTO_NUMBER
from ecnomy.markets.plan import Plan, Tcp
from ecnomy.markets.scenario import Scenario

__all__ = ["unreadable_prices", "unstable_steps"]

_LEAST_MARKED: Final = 0.05  # athuraliya2000 section VI-A: least share at which REM works well
_MOST_MARKED: Final = 0.99  # athuraliya2000 section VI-A: largest share at which REM works well


def unstable_steps(scenario: Scenario, plan: Plan) -> Iterator[str]:
    """Warn about the gamma and the alpha furthest beyond their bounds, with place, bound and delay.

    Only written numbers are checked, because `auto` stays within the bounds.
    """
    worst: dict[str, tuple[float, str]] = {}
    loop_of_link = loops(plan)
    for index, (path, direction) in enumerate(link_paths(scenario)):
        marking = direction.marking
        if index not in loop_of_link or marking.law != "rem":
            continue
        loop = loop_of_link[index]
        bounds = {"gamma": (marking.written("gamma"), loop.most_gamma)}
        if loop.integrates:
            bounds["alpha"] = (marking.written("alpha"), loop.most_alpha)
        for name, (given, most) in bounds.items():
            over = given / most
            if given != AUTO_NUMBER and over > max(1.0, worst.get(name, (0.0, ""))[0]):
                words = f"{given:g} on link {direction.name}"
                fault = scenario.places.fault(f"{path}.{name}", words, _expected(name, loop))
                worst[name] = (over, str(fault))
    yield from (line for _, line in worst.values())


def _expected(name: str, loop: Loop) -> str:
    delay = f"with a delay of {loop.lag / loop.slope:.3g} s from a price to the resulting rates"
    most, what = loop.most_alpha, "the queue settles"
    if name == "gamma":
        most, what = loop.most_gamma, "rates settle"
    return f"at most {most:.3g}, up to which {what} with certainty ({delay}), or auto"


def unreadable_prices(scenario: Scenario, plan: Plan) -> Iterator[str]:
    """Warn about the REM source whose share of marks is furthest outside 5 % to 99 %."""
    priced_paths = [path for path in paths(plan) if path.price > 0]
    worst: tuple[float, str] = (1.0, "")
    for path in priced_paths:
        written = scenario.document.sources[path.source].transport
        phi = getattr(written, "phi", AUTO_NUMBER)
        auto = phi == AUTO_NUMBER
        transport = plan.sources[path.source].transport
        if auto and isinstance(transport, Tcp):
            phi = transport.window.params["phi"]
        u = path.price * math.log(phi)
        low, high = -math.log1p(-_LEAST_MARKED), -math.log1p(-_MOST_MARKED)
        over = max(low / u, u / high)
        if over > worst[0]:
            name = plan.sources[path.source].name
            given = "auto, a phi of " if auto else ""
            given += f"{phi:g}, which marks {-math.expm1(-u):.3g} of the packets of {name}"
            bases = (
                math.exp(edge / path.price) if edge < 700 * path.price else math.inf
                for edge in (low, high)
            )
            expected = "{:.6g} to {:.3g} (5 % to 99 %), or auto".format(*bases)
            if auto:
                expected = (
                    "marks on 5 % to 99 %, but the prices of paths differ too much for one phi"
                )
            where = f"sources[{path.source}].transport.phi"
            worst = (over, str(scenario.places.fault(where, given, expected)))
    if worst[1]:
        yield worst[1]
