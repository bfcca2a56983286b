# SPDX-License-Identifier: Apache-2.0
"""Theoretical predictions for runs: queues, windows, marking, equilibria and trajectories."""

from __future__ import annotations

from ecnomy.analysis.theory.basic_algorithm import (
    PriceCourse,
    asynchronous_prices,
    basic_prices,
    rule_prices,
)
from ecnomy.analysis.theory.duopoly import ParallelCarriers, PostedPriceOutcome
from ecnomy.analysis.theory.equilibrium import (
    Equilibrium,
    proportional_fair,
    wtp_equilibrium,
    wtp_red_equilibrium,
)
from ecnomy.analysis.theory.fluid import (
    DeviationCourse,
    Trajectory,
    course_of,
    delayed_trajectory,
    network_trajectory,
    wtp_trajectory,
)
from ecnomy.analysis.theory.gsp import (
    BetaMarking,
    guaranteed_charge,
)
from ecnomy.analysis.theory.marking import (
    load_based_probability,
    red_load_curve,
    red_marked_fraction,
    red_probability,
)
from ecnomy.analysis.theory.nash import (
    NASH_BOUND,
    LinearUtility,
    NashEquilibrium,
    nash_equilibrium,
)
from ecnomy.analysis.theory.network import (
    LoadLink,
    NetworkEquilibrium,
    QueueLink,
    utility_network,
    wtp_network,
    wtp_rates_pps,
)
from ecnomy.analysis.theory.optimum import (
    FlowProblem,
    Optimum,
    network_optimum,
)
from ecnomy.analysis.theory.pi import pi_gains
from ecnomy.analysis.theory.queueing import (
    md1_queue_packets,
    md1_wait_s,
    mg1_wait_s,
    mm1_queue_packets,
    mm1_wait_s,
)
from ecnomy.analysis.theory.rem import (
    RemEquilibrium,
    rem_equilibrium,
    rem_marking,
    rem_price,
    rem_source_rate,
)
from ecnomy.analysis.theory.reno import (
    SAWTOOTH_CONSTANT,
    bernoulli_constant,
    single_flow_utilization,
)
from ecnomy.analysis.theory.routes import (
    path_marking,
)
from ecnomy.analysis.theory.stability import (
    NO_OSCILLATION_BELOW,
    STABLE_BELOW,
    delay_root_per_s,
    gaussian_gain_bound,
    smallest_w_dec,
)
from ecnomy.analysis.theory.utility import (
    DistortedUtility,
    FlowUtility,
    LogUtility,
    MixedUtility,
    PowerUtility,
    QuadraticUtility,
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
    "NASH_BOUND",
    "NO_OSCILLATION_BELOW",
    "SAWTOOTH_CONSTANT",
    "STABLE_BELOW",
    "BetaMarking",
    "DeviationCourse",
    "DistortedUtility",
    "Equilibrium",
    "FlowProblem",
    "FlowUtility",
    "LinearUtility",
    "LoadLink",
    "LogUtility",
    "MixedUtility",
    "NashEquilibrium",
    "NetworkEquilibrium",
    "Optimum",
    "ParallelCarriers",
    "PostedPriceOutcome",
    "PowerUtility",
    "PriceCourse",
    "QuadraticUtility",
    "QueueLink",
    "RemEquilibrium",
    "Trajectory",
    "asynchronous_prices",
    "basic_prices",
    "bernoulli_constant",
    "course_of",
    "delay_root_per_s",
    "delayed_trajectory",
    "gaussian_gain_bound",
    "guaranteed_charge",
    "load_based_probability",
    "md1_queue_packets",
    "md1_wait_s",
    "mg1_wait_s",
    "mm1_queue_packets",
    "mm1_wait_s",
    "nash_equilibrium",
    "network_optimum",
    "network_trajectory",
    "path_marking",
    "pi_gains",
    "proportional_fair",
    "red_load_curve",
    "red_marked_fraction",
    "red_probability",
    "rem_equilibrium",
    "rem_marking",
    "rem_price",
    "rem_source_rate",
    "rule_prices",
    "single_flow_utilization",
    "smallest_w_dec",
    "utility_network",
    "virtual_queue_probability",
    "wtp_equilibrium",
    "wtp_floor_bias",
    "wtp_floor_ratio",
    "wtp_network",
    "wtp_rate_pps",
    "wtp_rates_pps",
    "wtp_red_equilibrium",
    "wtp_stability",
    "wtp_time_constant_s",
    "wtp_trajectory",
    "wtp_window_packets",
]
