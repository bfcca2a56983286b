# SPDX-License-Identifier: Apache-2.0
"""The verb `serve`, which provides the market for engines started by hand."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ecnomy.markets.cli.ending import stoppable
from ecnomy.markets.cli.options import Changes, Seed, WithoutMarket
from ecnomy.markets.omnet.names import SERVED
from ecnomy.markets.support.printable import say

if TYPE_CHECKING:
    from ecnomy.markets.session.serve import ScenarioOffer

__all__ = ["serve_command"]

Served = Annotated[
    Path, typer.Argument(help="Scenario file, or the file of a sweep that was exported to OMNeT++.")
]

Address = Annotated[
    str | None,
    typer.Option(
        "--listen",
        help="Address to listen on: unix:PATH, or tcp://HOST:PORT with --token-file (port 0 "
        "selects a free port). "
        f"Default: {SERVED} next to the file.",
    ),
]
Runs = Annotated[
    Path | None,
    typer.Option(
        "--out", help="Results folder, with one subfolder per run. Default: results/<file>-<seed>."
    ),
]
AnyPlan = Annotated[
    bool,
    typer.Option("--any", help="Also accept engines whose network differs from the scenario's."),
]
Once = Annotated[bool, typer.Option("--once", help="Exit after one run.")]
TokenFile = Annotated[
    Path | None,
    typer.Option(
        help="File with the token that engines must present. If the file is missing, "
        "ecnomy creates it."
    ),
]


def serve_command(
    config: Served,
    address: Address = None,
    out: Runs = None,
    once: Once = False,
    token_file: TokenFile = None,
    set_: Changes = None,
    seed: Seed = None,
    no_market: WithoutMarket = False,
    any_plan: AnyPlan = False,
) -> None:
    """Provide the market for engines that you start by hand, one run after another."""
    from ecnomy.markets.bridge.listen import listen
    from ecnomy.markets.bridge.token import token_in
    from ecnomy.markets.session.serve import served

    chosen = address or f"unix:{config.parent / SERVED}"
    offer, addresses, folder = _offered(config, chosen, set_, seed)
    with stoppable(""):
        token = token_in(token_file) if token_file else ""
        with contextlib.ExitStack() as stack:
            listeners = [stack.enter_context(listen(each, token)) for each in addresses]
            address_range = listeners[0].address + (
                f" to {listeners[-1].address}" if listeners[1:] else ""
            )
            print(f"listening on {address_range}, plan {offer.plan.digest}", flush=True)
            runs = served(
                listeners,
                offer,
                out or folder,
                token=token,
                market=not no_market,
                any_plan=any_plan,
            )
            for run, name, reason in runs:
                say(f"{run}: {reason or 'complete'}{f' ({name})' if name else ''}")
                if once:
                    raise SystemExit(1 if reason else 0)


def _offered(
    config: Path, address: str, changes: list[str] | None, seed: int | None
) -> tuple[ScenarioOffer, list[str], Path]:
    """Return a file's Offer, the addresses for engines, and the default folder of the runs."""
    from ecnomy.markets.compile.make import make_plan
    from ecnomy.markets.scenario import load
    from ecnomy.markets.session.runner import default_folder
    from ecnomy.markets.session.serve import OneScenario
    from ecnomy.markets.sweep.config import is_sweep, load_sweep, refuse_changes
    from ecnomy.markets.sweep.omnet.serving import SweepOffer

    if not is_sweep(config):
        scenario = load(config, overrides=changes or (), seed=seed)
        return OneScenario(scenario, make_plan(scenario)), [address], default_folder(scenario)
    refuse_changes(config, changes, seed)
    sweep = load_sweep(config)
    offer = SweepOffer(sweep)
    return offer, offer.addresses(address), Path("results") / f"{config.stem}-{sweep.seed}"
