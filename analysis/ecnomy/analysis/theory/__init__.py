# SPDX-License-Identifier: Apache-2.0
"""What the mathematics says a run should give: queues, Reno, WTP, marking curves, equilibria."""

from __future__ import annotations

from ecnomy.analysis.theory.equilibrium import (
    Equilibrium,
    proportional_fair,
    wtp_equilibrium,
    wtp_red_equilibrium,
)
from ecnomy.analysis.theory.marking import (
    load_based_probability,
    red_load_curve,
    red_marked_fraction,
    red_probability,
)
from ecnomy.analysis.theory.pi import pi_gains
from ecnomy.analysis.theory.queueing import (
    md1_queue_packets,
    md1_wait_s,
    mg1_wait_s,
    mm1_queue_packets,
    mm1_wait_s,
)
from ecnomy.analysis.theory.reno import (
    SAWTOOTH_CONSTANT,
    bernoulli_constant,
    single_flow_utilization,
)
from ecnomy.analysis.theory.virtual_queue import virtual_queue_probability
from ecnomy.analysis.theory.wtp import (
    wtp_floor_bias,
    wtp_floor_ratio,
    wtp_rate_pps,
    wtp_stability,
    wtp_time_constant_s,
    wtp_window_packets,
)

__all__ = [
    "SAWTOOTH_CONSTANT",
    "Equilibrium",
    "bernoulli_constant",
    "load_based_probability",
    "md1_queue_packets",
    "md1_wait_s",
    "mg1_wait_s",
    "mm1_queue_packets",
    "mm1_wait_s",
    "pi_gains",
    "proportional_fair",
    "red_load_curve",
    "red_marked_fraction",
    "red_probability",
    "single_flow_utilization",
    "virtual_queue_probability",
    "wtp_equilibrium",
    "wtp_floor_bias",
    "wtp_floor_ratio",
    "wtp_rate_pps",
    "wtp_red_equilibrium",
    "wtp_stability",
    "wtp_time_constant_s",
    "wtp_window_packets",
]
