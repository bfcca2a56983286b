# SPDX-License-Identifier: Apache-2.0
"""Draws the knobs of the live page: service class or payment of each group, prices, and load.

A knob shows the current value. If the user turns it, the value stays until `release`
(held_values.py). Knobs are redrawn when their `version` changes, after a step or after a turn of a
knob.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import solara

from ecnomy.agents.money import MICRO
from ecnomy.analysis.dashboard.figures import GroupState
from ecnomy.analysis.dashboard.groups import CLASS, PAY, DashboardGroup
from ecnomy.analysis.dashboard.held_values import stops
from ecnomy.analysis.dashboard.live import LiveMarket
from ecnomy.analysis.dashboard.map_and_history import CARRIERS
from ecnomy.analysis.dashboard.page_text import carrier_facts, group_facts, name_tag
from ecnomy.analysis.draw.panels import COLOURS
from ecnomy.analysis.run.families import MOST_GROUPS

__all__ = ["Carriers", "Groups", "Load"]

_ALL: Final = "all groups"
_NOTHING: Final = "#808080"
Turn = Callable[[], None]


@solara.component
def Groups(live: LiveMarket, turn: Turn, version: object) -> None:
    """Show each group with its knob and its values."""
    states = live.watch.last.groups
    with solara.Div():
        for i, (group, numbers) in enumerate(zip(live.groups, states, strict=True)):
            if i < MOST_GROUPS:
                _group(live, group, numbers, i, turn)
        if len(states) > MOST_GROUPS:
            _html(f"and {len(states) - MOST_GROUPS} more groups without a knob")


def _group(live: LiveMarket, group: DashboardGroup, state: GroupState, i: int, turn: Turn) -> None:
    with solara.Div(classes=["ec-one", f"ec-group-{i}"]):
        on = f"{state.active} of {state.flows} flows active"
        _html(name_tag(group.name, COLOURS[i % len(COLOURS)], on))
        if group.knob == CLASS:
            _class_knob(live, group, state, turn)
        elif group.knob == PAY:
            _pay_knob(live, group, state, turn)
        _html(group_facts(state))


def _class_knob(live: LiveMarket, group: DashboardGroup, state: GroupState, turn: Turn) -> None:
    held = live.hand.service

    def choose(name: str) -> None:
        held[group.name] = name
        turn()

    value = held.get(group.name, state.service)
    with solara.Div(classes=["ec-set"]):
        solara.Text("class")
        solara.ToggleButtonsSingle(value, values=list(group.classes), on_value=choose, dense=True)
        _release(held, group.name, turn)


def _pay_knob(live: LiveMarket, group: DashboardGroup, state: GroupState, turn: Turn) -> None:
    held = live.hand.pay_micro
    first = live.watch.first.groups[live.groups.index(group)].pay_micro
    now = held.get(group.name, state.pay_micro)
    said = "as set by its transport" if now < 0 else f"{now / MICRO:.3g} money/s per flow"
    with solara.Div(classes=["ec-set"]):
        _html(f"pays for marks: <b>{said}</b>")
        _release(held, group.name, turn)
    _money_slider(held, group.name, max(first, 0), max(now, 0), turn)


@solara.component
def Carriers(live: LiveMarket, turn: Turn, version: object) -> None:
    """Show each carrier with its price, marks and income."""
    held, first = live.hand.price_micro, live.watch.first.carriers
    with solara.Div():
        for i, state in enumerate(live.watch.last.carriers[:MOST_GROUPS]):
            with solara.Div(classes=["ec-one", f"ec-carrier-{i}"]):
                now = held.get(state.name, state.price_micro)
                _html(name_tag(state.name or "network", CARRIERS[i % len(CARRIERS)], ""))
                with solara.Div(classes=["ec-set"]):
                    _html(f"price of a mark: <b>{now / MICRO:.3g} money</b>")
                    _release(held, state.name, turn)
                _money_slider(held, state.name, first[i].price_micro, now, turn)
                _html(carrier_facts(state))


@solara.component
def Load(live: LiveMarket, turn: Turn, version: object) -> None:
    """Show the share of flows that may send, in one group or in all groups."""
    whom, set_whom = solara.use_state(_ALL)
    names = [group.name for group in live.groups]
    held = live.hand.load
    chosen = names if whom == _ALL else [whom]
    shares = {held.get(name, 1.0) for name in chosen}
    share = shares.pop() if len(shares) == 1 else 1.0

    def load(percent: int) -> None:
        for name in chosen:
            held[name] = percent / 100
        turn()

    with solara.Div():
        solara.Select("of", values=[_ALL, *names], value=whom, on_value=set_whom, dense=True)
        mixed = " (groups differ)" if shares else ""
        _html(f"<b>{100 * share:.0f} %</b> of the flows may send{mixed}", ["ec-set"])
        solara.SliderInt("", round(100 * share), min=0, max=100, step=5, on_value=load)


def _money_slider(held: dict[str, int], name: str, base: float, now: float, turn: Turn) -> None:
    amounts = stops(round(base))
    at = min(range(len(amounts)), key=lambda i: abs(amounts[i] - now))

    def slide(index: int) -> None:
        held[name] = amounts[index]
        turn()

    solara.SliderInt("", at, min=0, max=len(amounts) - 1, on_value=slide, thumb_label=False)
    _html(f"<span>0</span><span>{amounts[-1] / MICRO:.3g}</span>", ["ec-ends"])


def _release(held: dict[str, Any], name: str, turn: Turn) -> None:
    def let_go() -> None:
        held.pop(name, None)
        turn()

    if name in held:
        solara.Text("by hand", classes=["ec-held"])
        solara.Button("release", on_click=let_go, text=True, small=True)


def _html(text: str, classes: Sequence[str] = ()) -> None:
    solara.HTML(tag="div", unsafe_innerHTML=text, classes=list(classes))
