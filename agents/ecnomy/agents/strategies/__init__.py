# SPDX-License-Identifier: Apache-2.0
"""Strategies, which make a role's decisions from its observations.

A strategy is a dataclass whose fields are its parameters, with units from `parameters.Unit`. It has
one or more of these methods:

    decide(FlowView) -> FlowDecision          one object is made per flow
    decide_many(Observation) -> Decision      one object is made for all flows, with columns
    post_price(PriceObservation) -> int       for connectivity providers, micro-units per mark
    tune(PriceObservation) -> Mapping         (optional) for connectivity providers: marking laws
    post_fees(ClassObservation) -> Mapping    (optional) for application providers: fees of classes
    let_in(ClassRequest) -> bool              (optional) whether a flow may enter a class
    admit(Call) -> bool                       for guaranteed stream providers, at each call
    watch(StreamObservation) -> None          (optional) observes test streams at each report
    post_call_price(StreamObservation) -> int (optional) after `watch`: a call's price, or None
    order(CallAsk) -> Sequence[int]           for subscribers, at each call: offers to request
    hear(EndedCalls) -> None                  (optional) for subscribers: observes ended calls
    claims(bool, AgentView) -> bool           (optional) for subscribers: whether to claim a refund

The object keeps the strategy's state. A strategy may also have these attributes:

    needs_rate     the parameter to set for flows without a rate limit; "" if not needed
    sets_budget    the parameter that limits the cost of a flow's marks, or "";
                   `settlement: direct` cannot enforce such a limit
    needs_files    true if the traffic must consist of files
    needs_weight   true if the strategy chooses weights
    names_link     the parameter that names one of the carrier's links, or ""
    heeds_lag      true if the strategy allows for windows that settle more slowly than it decides,
                   or ignores the flows' rates
    advice         advice to the user on settings, as a clause without a subject, or ""
    needs_s        the shortest adaptive interval between its decisions [s]
    waits          the largest number of decisions for which a carrier waits until users have
                   responded; if it is above 0, the default interval adapts to users
    inertia        the share of users that skip a decision, for whom carriers wait
    needs_streams  true if admission needs test streams
    readings       values by name, for the table `agents`
    roles          class attribute: the only roles that it fits; by default, its methods decide

YAML names a strategy by a built-in name, by its dotted path (`my_lab.strategies:Patient`) or by a
name in the entry-point group `ecnomy.strategies`.
"""

from __future__ import annotations

from ecnomy.agents.strategies.find import BUILT_IN, GROUP, blame, find, make

__all__ = ["BUILT_IN", "GROUP", "blame", "find", "make"]
