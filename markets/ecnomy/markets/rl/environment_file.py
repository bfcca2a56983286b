# SPDX-License-Identifier: Apache-2.0
"""Read an environment file: a scenario, and its learners with observations, actions and rewards.

version: 1
scenario: monopolist-market.yaml
set: {network.links.access.rate: 4 Mbps}
step: 60 s                         # between two actions
settle: 30 s                       # initial part of a step that is not measured
steps: 40                          # per episode
learners:
  - name: isp                      # the agent whose strategy the learner replaces
    observations: {utilization: {least: 0, most: 1}, profit: {least: 0 money/s, most: 20 money/s}}
    actions: {price: {least: 0.01 money, most: 1 money, scale: log}}
    reward: {kind: profit, per: 10 money/s}

The scenario describes the market, and also runs without learners. The environment file is read as
strictly as a scenario, and errors name the line.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Any, Final

import msgspec

from ecnomy.agents.arrays import Floats
from ecnomy.agents.errors import InputError
from ecnomy.agents.find import look_beside
from ecnomy.agents.spec import AgentSpec, MarketSpec, Params, StrategySpec
from ecnomy.agents.times import PS_PER_S
from ecnomy.markets.inputs.amounts import Amount, Name, Number, TimePs
from ecnomy.markets.inputs.reading import known_name, read
from ecnomy.markets.inputs.yamlfile import Node, Place, child_path, show
from ecnomy.markets.inputs.yamlfile import read as read_yaml
from ecnomy.markets.rl.quantities import ACTED, LEARNERS, OBSERVED, REWARDS, known
from ecnomy.markets.rl.ranges import QuantityRange, Ranges
from ecnomy.markets.scenario import Scenario, load
from ecnomy.markets.scenario.parameters import read_params, write_params
from ecnomy.markets.sweep.blocks import plain
from ecnomy.markets.sweep.point_scenario import override_text

__all__ = ["Environment", "EnvironmentDocument", "Learner", "RewardSpec", "load_environment"]

_Period = Annotated[int, Amount(what="a time", example="60 s", units=("ps",), above=True)]
_Steps = Annotated[int, Number(what="a whole number", least=1, most=10**7, whole=True)]
_IDLE: Final = StrategySpec("stay")  # replaces a learner's strategy and keeps the last values


class RewardSpec(msgspec.Struct, frozen=True):
    """The kind and the parameters of a reward."""

    kind: str
    params: Params = {}

    def made(self) -> Any:
        """Create the object that computes the reward."""
        kind: Any = REWARDS[self.kind]
        return kind(**self.params)


class _RewardReader(msgspec.Struct, frozen=True):
    """Reads `{kind: profit, per: 10 money/s}`."""

    @property
    def expected(self) -> str:
        """See Reader."""
        return "a reward such as {kind: profit, per: 10 money/s}"

    def read(self, node: Node, path: str) -> RewardSpec:
        """See Reader."""
        kind = node.mapping().get("kind")
        if kind is None:
            raise node.place.error(path, show(node), self.expected)
        if not isinstance(kind.value, str) or kind.value not in REWARDS:
            here = child_path(path, "kind")
            raise kind.place.error(here, show(kind), known_name(kind.text, REWARDS))
        return RewardSpec(kind.value, read_params(node, path, REWARDS[kind.value], _trial))

    def write(self, value: RewardSpec) -> dict[str, Any]:
        """See Reader."""
        return {"kind": value.kind, **write_params(value.params, REWARDS[value.kind])}


def _names(kind: str) -> dict[str, tuple[str, ...]]:
    return {role: known(kind, role) for role in LEARNERS}


class Learner(msgspec.Struct, frozen=True, kw_only=True):
    """An agent that learns. Its ranges have the names and units of quantities.py.

    Attributes:
        name: Agent of the scenario whose strategy the learner replaces.
        observations: Quantities observed at each step, each with the range that is scaled to [0,
            1]. A range is {least: A, most: B}, with scale: log for logarithmic shares.
        actions: Quantities set at each step, each with its range. scale: log spaces values
            logarithmically and needs a least above 0. With levels: N (2 to 10,000; if set, for all
            actions) the learner chooses one of N values, evenly spaced on the scale.
        reward: Reward of the agent for a step.
    """

    name: Name
    observations: Annotated[dict[str, QuantityRange], Ranges(OBSERVED, _names("observations"))]
    actions: Annotated[dict[str, QuantityRange], Ranges(ACTED, _names("actions"), acted=True)]
    reward: Annotated[RewardSpec, _RewardReader()]

    def amounts(self, shares: Floats) -> dict[str, float]:
        """Return the values of actions in their units, from shares in the order of the file."""
        pairs = zip(self.actions.items(), shares.tolist(), strict=True)
        return {name: of.value(share) for (name, of), share in pairs}


class EnvironmentDocument(msgspec.Struct, frozen=True, kw_only=True):
    """An environment file as written.

    Attributes:
        version: Version of the format.
        title: Title of the environment on pages and in tables.
        scenario: The scenario of the runs, as a path relative to the file.
        step: Time between two actions, a multiple of the market's epoch.
        settle: Time at the start of each step that is not measured.
        steps: Number of steps in an episode.
        learners: Agents that may learn.
    """

    version: Annotated[int, Number(what="a version", least=1, most=1, whole=True)]
    title: str = ""
    scenario: str
    step: _Period
    settle: TimePs = 0
    steps: _Steps
    learners: tuple[Learner, ...]


class Environment(msgspec.Struct, frozen=True):
    """An environment file, with its scenario.

    Attributes:
        file: path of the file, as given by the caller.
        scenario: the scenario, with the changes under `set`.
        step_ps, settle_ps: length of a step, and of its initial part, which is not measured.
        steps: number of steps in an episode.
        learners: agents that may learn.
    """

    file: str
    title: str
    scenario: Scenario
    step_ps: int
    settle_ps: int
    steps: int
    learners: tuple[Learner, ...]

    @property
    def market(self) -> MarketSpec:
        """Return the market of the scenario."""
        assert self.scenario.market is not None
        return self.scenario.market

    def learner(self, name: str) -> Learner:
        """Return the learner with this name.

        Raises:
            InputError: the file has no learner with this name.
        """
        for learner in self.learners:
            if learner.name == name:
                return learner
        names = ", ".join(learner.name for learner in self.learners)
        raise InputError(f"{self.file}: learners: found {name!r}, expected one of {names}")

    def agent(self, name: str) -> AgentSpec:
        """Return the scenario's entry for a learner's agent."""
        return next(agent for agent in self.market.agents if agent.name == name)

    def played(self, learners: tuple[str, ...]) -> Scenario:
        """Return the scenario of an episode, in which learners replace the agents' strategies.

        It lasts one epoch longer than the episode, because agents do not observe the last report.
        """
        agents = tuple(
            msgspec.structs.replace(agent, strategy=_IDLE) if agent.name in learners else agent
            for agent in self.market.agents
        )
        document = self.scenario.document
        ends_ps = document.warmup + self.steps * self.step_ps + document.epoch_ps
        return msgspec.structs.replace(
            self.scenario,
            document=msgspec.structs.replace(document, duration=ends_ps),
            market=msgspec.structs.replace(self.market, agents=agents),
        )


def load_environment(path: str | os.PathLike[str]) -> Environment:
    """Return the environment in a file. The path of its scenario is relative to the file's folder.

    Raises:
        ScenarioError: the file or its scenario is invalid. The message names the place.
    """
    file = os.fspath(path)
    root = read_yaml(Path(file), file)
    if not isinstance(root.value, dict):
        raise root.place.error("", show(root), "a mapping with version: 1")
    changes = root.mapping().get("set")
    rest = {key: node for key, node in root.mapping().items() if key != "set"}
    places: dict[str, Place] = {}
    bare = Node(rest, root.place, keys=root.keys)
    document = read(bare, EnvironmentDocument, "", places)
    look_beside(file)
    scenario = load(
        os.path.join(os.path.dirname(file), document.scenario), overrides=_overrides(changes)
    )
    _check(document, scenario, places)
    held = (document.step, document.settle, document.steps, document.learners)
    return Environment(file, document.title, scenario, *held)


def _check(document: EnvironmentDocument, scenario: Scenario, places: dict[str, Place]) -> None:
    """Check that an environment file is consistent with its scenario."""
    if scenario.market is None:
        raise places["scenario"].error(
            "scenario", "a scenario without a market", "a scenario with a market"
        )
    epoch_ps = scenario.epoch_ps
    wanted = f"whole multiples of the market's epoch, {epoch_ps / PS_PER_S:g} s"
    for key, value in (("step", document.step), ("settle", document.settle)):
        if value % epoch_ps:
            raise places[key].error(key, f"{value / PS_PER_S:g} s", wanted)
    if scenario.document.warmup % epoch_ps:
        found = f"a scenario with a warm-up of {scenario.document.warmup / PS_PER_S:g} s"
        raise places["scenario"].error("scenario", found, wanted)
    if document.settle >= document.step:
        found = f"{document.settle / PS_PER_S:g} s"
        raise places["settle"].error(
            "settle", found, f"less than step, {document.step / PS_PER_S:g} s"
        )
    if not document.learners:
        raise places["learners"].error("learners", "no learners", "at least one learner")
    roles = {agent.name: agent.role for agent in scenario.market.agents}
    seen: set[str] = set()
    for number, learner in enumerate(document.learners):
        here = f"learners[{number}]"
        if learner.name in seen or learner.name not in roles:
            found = f"{learner.name!r}{' a second time' if learner.name in seen else ''}"
            raise places[f"{here}.name"].error(f"{here}.name", found, known_name("", roles))
        seen.add(learner.name)
        _check_role(learner, roles[learner.name], here, places)


def _check_role(learner: Learner, role: str, here: str, places: dict[str, Place]) -> None:
    if role not in LEARNERS:
        at = f"{here}.name"
        found = f"{learner.name!r}, whose role is {role}"
        raise places[at].error(at, found, f"a learner whose role is one of {', '.join(LEARNERS)}")
    for kind, names in (("observations", learner.observations), ("actions", learner.actions)):
        for name in names:
            if name not in known(kind, role):
                at = f"{here}.{kind}.{name}"
                found = f"{name!r} of a {role}"
                raise places[at].error(at, found, f"one of {', '.join(known(kind, role))}")
    if role not in REWARDS[learner.reward.kind].roles:
        at = f"{here}.reward.kind"
        raise places[at].error(at, f"{learner.reward.kind!r} of a {role}", "profit")
    levels = {of.levels > 0 for of in learner.actions.values()}
    if len(levels) > 1:
        at = f"{here}.actions"
        raise places[at].error(
            at, "levels for only some actions", "levels for all actions, or no levels"
        )


def _overrides(node: Node | None) -> list[str]:
    """Convert the mapping under `set` to overrides of the form `path=value`."""
    if node is None:
        return []
    if not isinstance(node.value, dict):
        raise node.place.error("set", show(node), "a mapping of paths to values")
    return [f"{key}={override_text(plain(child))}" for key, child in node.mapping().items()]


def _trial(kind: str, params: Params) -> object:
    try:
        return RewardSpec(kind, params).made()
    except Exception as error:
        raise InputError(f"reward {kind!r}: {error}") from error
