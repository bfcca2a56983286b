# SPDX-License-Identifier: Apache-2.0
"""Strategies: what a role does with what it sees.

A strategy is a dataclass whose fields are its parameters (units by `parameters.Unit`). It has
one or more of

    decide(FlowView) -> FlowDecision          one object is made per flow
    decide_many(Observation) -> Decision      one object for all flows of the role, as columns
    post_price(PriceObservation) -> int       for connectivity providers, micro-units per mark
    post_fees(ClassObservation) -> Mapping    (if there) for application providers: their fees
    let_in(ClassRequest) -> bool              (if there) whether a flow may enter a class
    admit(Call) -> bool                       for guaranteed stream providers, at each call; with
    watch(StreamObservation) -> None          (if there) what their test streams saw, at reports
    post_call_price(StreamObservation) -> int (if there) right after: of a call, None keeps it

State lives in the object. `needs_rate`, where a strategy has it, names the parameter that must be
given for flows whose traffic has no rate of its own ("" for none); `sets_budget` likewise the one
that limits what a flow's marks may cost, which `settlement: direct` cannot keep; `needs_files` is
true for one that takes traffic of files only, `needs_weight` for one that chooses weights;
`heeds_lag` for one that decides sooner than windows settle and reckons with that, or does not look
at what flows get; `inertia` is the share of users that do not look at a decision, which carriers
wait for; `needs_streams` is true for an admission that needs test streams; `readings`
holds figures for the table `agents`; `roles`, a class attribute, names the roles a strategy is for
where its methods alone do not tell. Strategies are named in YAML by a built-in name, by dotted path
(`my_lab.strategies:Patient`) or by a name in the entry-point group `ecnomy.strategies`.
"""

from __future__ import annotations

from ecnomy.agents.strategies.find import BUILT_IN, GROUP, blame, find, make

__all__ = ["BUILT_IN", "GROUP", "blame", "find", "make"]
