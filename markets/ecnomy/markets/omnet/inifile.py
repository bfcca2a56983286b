# SPDX-License-Identifier: Apache-2.0
"""Write the text of omnetpp.ini, which sets the modules' parameters to the numbers of a plan."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from ecnomy.markets.omnet import settings
from ecnomy.markets.omnet.names import SERVED, one_line, plain, quoted
from ecnomy.markets.omnet.network import NETWORK
from ecnomy.markets.omnet.quantities import flag, time
from ecnomy.markets.omnet.settings import Setting
from ecnomy.markets.omnet.wiring import WiredNode, Wiring
from ecnomy.markets.plan import Plan, Tcp

__all__ = ["omnetpp_ini"]

_HEAD: Final = """\
# Made by `ecnomy export`: {title}
# Plan {digest}
#
# NED path: this folder, inet/ of ecnomy's OMNeT++ project, src/ of INET; see README.txt.

[General]
network = {network}
description = {description}
simtime-resolution = ps
sim-time-limit = {duration}
warmup-period = {warmup}
cmdenv-express-mode = true
cmdenv-status-frequency = 10s
**.market.**.statistic-recording = true
**.queue.**.statistic-recording = true
**.app[*].**.statistic-recording = true
**.statistic-recording = false
"""
# Qtenv and the IDE offer the first configuration after [General].
_ALONE: Final = """
# Nobody decides: sources keep the weights they have. Needs no Python. [General] is the same.
[Config WithoutMarket]
description = {alone}
"""
_REPEATED: Final = """
# For opp_runall; another number: --repeat=N.
[Config Repetitions]
description = "without a market, ten seeds"
repeat = 10
"""
_SERVE: Final = """
# Here the market of `ecnomy serve` decides. Start that command first. It serves every repetition.
[Config Serve]
description = "with the market of: ecnomy serve SCENARIO.yaml --listen unix:{served}"
{network}.market.connect = "unix:" + absFilePath({file})
"""


def omnetpp_ini(plan: Plan, wiring: Wiring, *, served: bool = True, repeated: bool = False) -> str:
    """Return the text of omnetpp.ini for a plan.

    Args:
        plan: a sealed plan.
        wiring: the wiring of the plan's network.
        served: whether to include two configurations: WithoutMarket, and Serve, in which the market
            is `ecnomy serve`.
        repeated: whether repetition k has the plan's seed plus k. If so, `served` also includes
            the configuration Repetitions with ten repetitions.

    Raises:
        InputError: a number is outside OMNeT++'s range.
    """
    head = _HEAD.format(
        title=one_line(plan.title) or "a scenario without a title",
        digest=plan.digest,
        network=NETWORK,
        description=plain(plan.title or "a scenario without a title"),
        duration=time(plan.duration_ps),
        warmup=time(plan.warmup_ps),
    )
    parts = [head, _section("The market's end", "market", settings.market(plan))]
    if repeated:
        seed = _seed(plan)
        parts[1] = parts[1].replace(seed, f"{seed} + ${{repetition}}")
    parts += [part for node in wiring.nodes for part in _node(plan, wiring, node)]
    if served:
        title = one_line(plan.title)
        alone = f"without a market, no Python{f': {title}' if title else ''}"
        parts.append(_ALONE.format(alone=plain(alone)))
        parts += [_REPEATED] if repeated else []
        parts.append(_SERVE.format(network=NETWORK, served=SERVED, file=quoted(SERVED)))
    return "".join(parts)


def _seed(plan: Plan) -> str:
    return next(f"{NETWORK}.market.{k} = {v}" for k, v in settings.market(plan) if k == "seed")


def _section(title: str, path: str, lines: Iterable[Setting]) -> str:
    text = "".join(f"{NETWORK}.{path}.{key} = {value}\n" for key, value in lines)
    return f"\n# {title}\n{text}"


def _node(plan: Plan, wiring: Wiring, node: WiredNode) -> Iterator[str]:
    yield _section(f"Node {one_line(node.shown)}", node.name, _node_settings(plan, node))
    for number, link in enumerate(plan.links):
        if wiring.nodes[link.source] is node:
            place = f"{node.name}.ppp[{wiring.wires[number].leaves}].queue"
            yield _section(f"Link {one_line(link.name)}", place, settings.queue(link))
    for count, app in enumerate(node.apps):
        make = settings.source if app.sends else settings.sink
        title = f"Source {plan.sources[app.source].name}{'' if app.sends else ', receiving end'}"
        yield _section(title, f"{node.name}.app[{count}]", make(plan, wiring, app.source))


def _node_settings(plan: Plan, node: WiredNode) -> Iterator[Setting]:
    tcp = {isinstance(plan.sources[app.source].transport, Tcp) for app in node.apps}
    yield "hasTcp", flag(True in tcp)
    yield "hasUdp", flag(False in tcp)
    names = node.interfaces
    routes = (f"{address}/32>{names[gate]}" for address, gate in node.routes.items())
    yield "localAddresses", quoted(" ".join(node.addresses))
    yield "routes", quoted(" ".join(routes))
    for gate, (name, framing) in enumerate(zip(names, node.framing, strict=True)):
        yield f"ppp[{gate}].interfaceName", quoted(name)
        yield f"ppp[{gate}].framing", f"{framing}B"
    yield "numApps", str(len(node.apps))
