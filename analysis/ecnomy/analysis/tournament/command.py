# SPDX-License-Identifier: Apache-2.0
"""The verb `tournament`: finds out which strategies prevail in mixed populations."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ecnomy.analysis.sweeps.searching import workers_when_needed
from ecnomy.markets.cli.ending import stoppable
from ecnomy.markets.cli.options import Jobs
from ecnomy.markets.cli.printing import Json, console_for_tables, print_json
from ecnomy.markets.cli.sweeping import Quick, Scheduler, resumable

if TYPE_CHECKING:
    from rich.table import Table

__all__ = ["tournament_command"]

Config = Annotated[
    Path, typer.Argument(help="Tournament file, e.g. configs/sweeps/tournament.yaml.")
]
Out = Annotated[Path | None, typer.Option(help="Results folder. Default: results/<file>.")]
With = Annotated[
    list[str] | None,
    typer.Option(
        "--with", help="Add a strategy, by name or module:Class. Repeatable.", metavar="STRATEGY"
    ),
]
OldCode = Annotated[
    bool,
    typer.Option(
        "--accept-old-code", help="Reuse runs made by other versions of the code or of strategies."
    ),
]
Dry = Annotated[
    bool,
    typer.Option(
        "--dry-run",
        help="Print the entrants, the number of runs and the estimated time, then exit.",
    ),
]


def tournament_command(
    config: Config,
    out: Out = None,
    own: With = None,
    workers: Jobs = 0,
    scheduler: Scheduler = "",
    quick: Quick = False,
    accept_old_code: OldCode = False,
    dry_run: Dry = False,
    as_json: Json = False,
) -> None:
    """Play strategies against each other: ranking, stable mixes, and whether paying is worth it.

    Completed runs are kept. Run the same command again to resume.
    """
    from ecnomy.agents.find import look_beside
    from ecnomy.analysis.game.dynamics import egt
    from ecnomy.analysis.tournament.playing import played
    from ecnomy.analysis.tournament.tournament_file import load_tournament
    from ecnomy.markets.sweep.driver import default_folder

    egt("alpharank")
    look_beside(config)
    tournament = load_tournament(config, tuple(own or ()), quick=quick)
    if dry_run:
        with stoppable("nothing was saved"):
            return _dry(tournament, workers)
    folder = out or default_folder(str(config))
    places = {name: folder / name for name in tournament.networks} or {"": folder}
    limits, networks = tournament.sweep.limits, {}
    with resumable():
        with workers_when_needed(limits, scheduler, workers) as (pool, observer_of):
            for name, place in places.items():
                one = tournament.on(name) if name else tournament
                table = played(one, place, pool, observer_of, accept_old_code=accept_old_code)
                networks[name] = _found(one, table, place)
        if tournament.networks:
            _on_networks(tournament, networks, folder, as_json)
        else:
            said = _said(tournament, networks[""], folder)
            print_json(said) if as_json else _tell(tournament, networks[""], folder)
    if not as_json:
        print(f"results: {folder}")


def _on_networks(tournament: Any, networks: dict[str, Any], folder: Path, as_json: bool) -> None:
    from ecnomy.analysis.tournament.networks import NETWORKS, resting_table, write_networks
    from ecnomy.analysis.tournament.networks_page import NETWORKS_PAGE, write_networks_page

    page = folder / NETWORKS_PAGE
    write_networks(networks, folder / NETWORKS)
    write_networks_page(tournament.sweep.title, networks, page, tournament.axes)
    by_network = {
        name: _said(tournament.on(name), one, folder / name) for name, one in networks.items()
    }
    if as_json:
        shares = folder / NETWORKS
        return print_json(
            {"folder": folder, "page": page, "networks": by_network, "shares": shares}
        )
    console_for_tables().print(resting_table(tournament.sweep.title, networks))
    print(f"page: {page}")
    print(f"shares: {folder / NETWORKS}")


def _dry(tournament: Any, workers: int) -> None:
    import os

    from ecnomy.analysis.tournament.playing import beginning
    from ecnomy.analysis.tournament.profiles import sweep_of
    from ecnomy.markets.sweep.driver import estimate_s

    for one in tournament.entrants:
        print(f"plays: {one.name} ({one.words})")
    for name, why in tournament.absent.items():
        print(f"skipped {name}: {why}")
    sweep = sweep_of(tournament, beginning(tournament))
    count = workers or os.cpu_count() or 1
    each_s = estimate_s(sweep)
    total_s = each_s * len(sweep) / count
    networks = max(1, len(tournament.networks))
    many = f" on each of {networks} networks" if tournament.networks else ""
    print(f"{len(sweep)} runs with pairs of strategies, then the runs with the finalists{many}")
    total_s *= networks
    workers_text = "1 worker" if count == 1 else f"{count} workers"
    print(f"about {each_s:.2g} s per run, {total_s:.3g} s for the pairs on {workers_text}")


def _found(tournament: Any, table: Any, folder: Path) -> Any:
    from ecnomy.analysis.tournament.page import PAGE, PAYOFFS, write_page, write_payoffs
    from ecnomy.analysis.tournament.paying import findings_in

    findings = findings_in(table, tournament.finalists)
    write_payoffs(findings, folder / PAYOFFS)
    write_page(tournament, findings, folder / PAGE)
    return findings


def _said(tournament: Any, findings: Any, folder: Path) -> dict[str, Any]:
    from ecnomy.analysis.tournament import wording
    from ecnomy.analysis.tournament.page import PAGE, PAYOFFS

    return {
        "folder": folder,
        "title": tournament.sweep.title,
        "page": folder / PAGE,
        "pay_offs": folder / PAYOFFS,
        "headline": wording.headline(findings),
        "summary": wording.summary(findings),
        "sure": wording.sure_words(findings),
        "strategies": _strategies(findings),
        "absent": tournament.absent,
    }


def _tell(tournament: Any, findings: Any, folder: Path) -> None:
    from ecnomy.analysis.tournament import wording
    from ecnomy.analysis.tournament.page import PAGE, PAYOFFS

    console = console_for_tables()
    console.print(_ranking(tournament, findings))
    console.print(f"{wording.headline(findings)}. {wording.summary(findings)}", markup=False)
    console.print(f"How sure: {wording.sure_words(findings)}", markup=False)
    print(f"page: {folder / PAGE}")
    print(f"pay-offs: {folder / PAYOFFS}")


def _strategies(findings: Any) -> list[dict[str, Any]]:
    """Return each strategy, best first, with its alpha-rank mass and its pay-off if all use it."""
    return [
        {
            "name": findings.table.names[number],
            "pays": number in findings.payers,
            "finalist": number in findings.finalists,
            "populations": [
                {
                    "players": one.players,
                    "rank": one.mass[number],
                    "earns": findings.table.alone(number, one.players).mean(),
                }
                for one in findings.outcomes
            ],
        }
        for number in findings.ranking
    ]


def _ranking(tournament: Any, findings: Any) -> Table:
    from ecnomy.analysis.tournament.wording import money
    from ecnomy.markets.cli.table_fit import titled_table

    caption = (
        "rank N: mass in alpha-rank with N players; earns N: mean pay-off in money/s if all N "
        "players use the strategy"
    )
    table = titled_table(tournament.sweep.title, caption=caption, caption_justify="left")
    table.add_column("strategy")
    table.add_column("pays")
    for one in findings.outcomes:
        table.add_column(f"rank {one.players}", justify="right")
    for one in findings.outcomes:
        table.add_column(f"earns {one.players}", justify="right")
    for number in findings.ranking:
        masses = [f"{one.mass[number]:.0%}" for one in findings.outcomes]
        alone = [
            money(findings.table.alone(number, one.players).mean()) for one in findings.outcomes
        ]
        pays = "yes" if number in findings.payers else "never"
        table.add_row(findings.table.names[number], pays, *masses, *alone)
    return table
