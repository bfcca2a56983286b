# SPDX-License-Identifier: Apache-2.0
"""The live page: Mesa's controls (step, play, pause, reset), the scenario, and the knobs.

Solara imports this module by name and draws `Page` for each open tab. Each tab has a separate
Stage, market and engine, which end with the tab.
"""

from __future__ import annotations

import base64
import html
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec
import solara
import solara.lab
from mesa.visualization.solara_viz import ModelController, ModelCreator
from mesa.visualization.utils import update_counter

from ecnomy.agents.errors import EcnomyError
from ecnomy.agents.times import PS_PER_S
from ecnomy.analysis.dashboard.command import SHOWN, PageArguments
from ecnomy.analysis.dashboard.knobs import Carriers, Groups, Load
from ecnomy.analysis.dashboard.live import LiveMarket, Stage
from ecnomy.analysis.dashboard.map_and_history import history_svg, map_svg, place_of
from ecnomy.analysis.dashboard.page_text import accounts_table, clock, congested_list
from ecnomy.markets.scenario import load

__all__ = ["Page"]

_STYLE: Final = Path(__file__).with_name("page.css")
_PLAY_MS: Final = 101  # pause between two steps; it must be a stop of the slider
_MOST_SEED: Final = 100


@solara.component
def Page() -> None:
    """Show the page in a browser tab."""
    solara.Title("ecnomy")
    solara.Style(_STYLE)
    opened = solara.use_memo(_opened, [])
    if isinstance(opened, str):
        solara.Error(opened)
        return
    Opened(*opened)


def _opened() -> tuple[Stage, LiveMarket] | str:
    """Return the stage and the first market of a tab, or the error that prevented them."""
    shown = msgspec.json.decode(os.environ[SHOWN], type=PageArguments)
    try:
        scenario = load(shown.config, overrides=shown.changes, seed=shown.seed)
        stage = Stage(scenario, shown.engine)
        return stage, LiveMarket(stage, scenario.seed)
    except (EcnomyError, OSError) as error:
        return " ".join(str(error).split())


@solara.component
def Opened(stage: Stage, first: LiveMarket) -> None:
    """Show Mesa's controls and the board."""
    model = solara.use_reactive(first)
    solara.use_effect(lambda: stage.close, [])
    with solara.AppBar():
        solara.AppBarTitle("ecnomy")
        solara.lab.ThemeToggle()
    with solara.Sidebar(), solara.Column():
        Controls(model, stage)
    Board(model)


@solara.component
def Controls(model: solara.Reactive[LiveMarket], stage: Stage) -> None:
    """Show Mesa's buttons and parameters, without the switch for threads."""
    parameters, pause_ms = solara.use_reactive({}), solara.use_reactive(_PLAY_MS)
    epochs, threads = solara.use_reactive(1), solara.use_reactive(False)
    seed = stage.scenario.seed
    label = "Seed (used after the next reset)"
    seeds = {"type": "SliderInt", "label": label, "value": seed, "min": 0, "step": 1}
    seeds["max"] = max(_MOST_SEED, seed)
    with solara.Card("Controls"):
        solara.SliderInt("Pause between steps [ms]", value=pause_ms, min=1, max=501, step=10)
        solara.SliderInt("Epochs per step", value=epochs, min=1, max=100)
        ModelController(
            model,
            model_parameters=parameters,
            play_interval=pause_ms,
            render_interval=epochs,
            use_threads=threads,
        )
    with solara.Card("Model Parameters"):
        ModelCreator(model, {"stage": stage, "seed": seeds}, model_parameters=parameters)


@solara.component
def Board(model: solara.Reactive[LiveMarket]) -> None:
    """Show the state of the scenario, the pictures and the knobs."""
    picture = update_counter.get()
    turned = solara.use_reactive(0)
    live = model.value
    live.requested_picture = update_counter.peek
    solara.use_effect(lambda: live.drawn.done(picture), [picture, live])
    state, plan = live.watch.last, live.market.plan

    def turn() -> None:
        turned.value += 1

    version = (live.steps, turned.value)
    said = clock(state, plan.duration_ps / PS_PER_S)
    title = html.escape(plan.title)
    solara.HTML(tag="div", unsafe_innerHTML=f"<h1>{title}</h1><p>{said}</p>", classes=["ec-head"])
    if live.failure:
        solara.Error(live.failure)
    elif not live.running:
        solara.Info("The run is complete. Press Reset to start again.")
    with solara.Div(classes=["ec-board"]):
        with solara.Div(classes=["ec-column"]):
            Network(live, live.steps)
            History(live, live.steps)
            _card("Accounts", lambda: _html(accounts_table(state.accounts)))
        with solara.Div(classes=["ec-column"]):
            _card("Service and payment", lambda: Groups(live, turn, version))
            _card("Prices", lambda: Carriers(live, turn, version))
            _card("Load", lambda: Load(live, turn, version))


@solara.component
def Network(live: LiveMarket, steps: int) -> None:
    """Show the map and the congested links."""
    plan = live.market.plan
    positions = live.stage.scenario.document.network.positions
    place = solara.use_memo(lambda: place_of(plan, positions), [live])
    links = live.watch.last.links
    svg, badges = solara.use_memo(lambda: map_svg(plan, place, links), [live, steps])

    def content() -> None:
        _picture(svg, "Map of the network: load of each link")
        _html(congested_list(links, badges))

    _card("Network", content)


@solara.component
def History(live: LiveMarket, steps: int) -> None:
    """Show rates, utilisation and prices over time."""
    svg = solara.use_memo(lambda: history_svg(list(live.watch.history)), [live, steps])
    _card("Over time", lambda: _picture(svg, "Rates, use of links and prices over time"))


def _card(title: str, content: Callable[[], Any]) -> None:
    place = "ec-" + title.split()[0].lower()  # its position on a phone
    with solara.Div(classes=["ec-card", place]):
        solara.HTML(tag="h2", unsafe_innerHTML=html.escape(title))
        content()


def _html(text: str, classes: Sequence[str] = ()) -> None:
    solara.HTML(tag="div", unsafe_innerHTML=text, classes=list(classes))


def _picture(svg: bytes, alt: str) -> None:
    source = "data:image/svg+xml;base64," + base64.b64encode(svg).decode("ascii")
    solara.HTML(tag="img", attributes={"src": source, "alt": alt, "decoding": "sync"})
