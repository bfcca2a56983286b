# SPDX-License-Identifier: Apache-2.0
"""The verb `serve`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ecnomy.markets.cli.ending import INTERRUPTED, heed_ends, last_words
from ecnomy.markets.cli.options import Changes, Config, Seed, WithoutMarket
from ecnomy.markets.omnet.names import SERVED
from ecnomy.markets.support.printable import say

__all__ = ["serve_command"]

Address = Annotated[
    str | None,
    typer.Option(
        "--listen",
        help="unix:PATH, or tcp://HOST:PORT with --token-file (port 0: any free port). "
        f"Default: {SERVED} next to the scenario.",
    ),
]
Runs = Annotated[
    Path | None,
    typer.Option(
        "--out", help="Folder that gets one subfolder per run. Default: results/<scenario>-<seed>."
    ),
]
AnyPlan = Annotated[
    bool,
    typer.Option("--any", help="Also accept engines whose network differs from the scenario."),
]
Once = Annotated[bool, typer.Option("--once", help="Exit after one run.")]
TokenFile = Annotated[
    Path | None,
    typer.Option(
        help="File with the token that engines must present. Created if it does not exist."
    ),
]


def serve_command(
    config: Config,
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
    from ecnomy.markets.compile.make import make_plan
    from ecnomy.markets.scenario import load
    from ecnomy.markets.session.runner import default_folder
    from ecnomy.markets.session.serve import served

    heed_ends()
    scenario = load(config, overrides=set_ or (), seed=seed)
    plan = make_plan(scenario)
    folder = out or default_folder(scenario)
    try:
        token = token_in(token_file) if token_file else ""
        with listen(address or f"unix:{config.parent / SERVED}", token) as listener:
            print(f"listening on {listener.address}, plan {plan.digest}", flush=True)
            market = not no_market
            runs = served(
                listener, scenario, plan, folder, token=token, market=market, any_plan=any_plan
            )
            for run, reason in runs:
                say(f"{run}: {reason or 'complete'}")
                if once:
                    raise SystemExit(1 if reason else 0)
    except KeyboardInterrupt:
        last_words("interrupted")
        raise SystemExit(INTERRUPTED) from None
