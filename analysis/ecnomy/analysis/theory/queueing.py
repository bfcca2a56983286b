# SPDX-License-Identifier: Apache-2.0
"""Waiting times before service in an unlimited single-server queue with Poisson arrivals.

Pollaczek-Khinchine: W = rho s (1 + c2) / (2 (1 - rho)). s is the mean service time and c2 its
squared coefficient of variation: 0 for M/D/1, 1 for M/M/1. Source: Kleinrock, Queueing Systems 1.
"""

from __future__ import annotations

from ecnomy.agents.errors import InputError

__all__ = ["md1_queue_packets", "md1_wait_s", "mg1_wait_s", "mm1_queue_packets", "mm1_wait_s"]


def mg1_wait_s(load: float, service_s: float, squared_variation: float) -> float:
    """Return the mean wait of M/G/1 in seconds.

    Args:
        load: product of arrival rate and mean service time, in [0, 1).
        service_s: mean service time, seconds.
        squared_variation: variance of the service time divided by its squared mean.

    Raises:
        InputError: an argument is out of range; at load 1 no mean exists.
    """
    if not 0 <= load < 1:
        raise InputError(f"an unlimited queue needs 0 <= load < 1, got {load}")
    if service_s <= 0 or squared_variation < 0:
        raise InputError("the service time must be positive, and its variation 0 or more")
    return load * service_s * (1 + squared_variation) / (2 * (1 - load))


def md1_wait_s(load: float, service_s: float) -> float:
    """Return the mean wait of M/D/1 in seconds: load * service / (2 (1 - load))."""
    return mg1_wait_s(load, service_s, 0.0)


def mm1_wait_s(load: float, service_s: float) -> float:
    """Return the mean wait of M/M/1 in seconds: load * service / (1 - load)."""
    return mg1_wait_s(load, service_s, 1.0)


def md1_queue_packets(load: float) -> float:
    """Return the mean number of waiting packets (not in service) in M/D/1, by Little's law."""
    return load * md1_wait_s(load, 1.0)


def mm1_queue_packets(load: float) -> float:
    """Return the mean number of waiting packets (not in service) in M/M/1, by Little's law."""
    return load * mm1_wait_s(load, 1.0)
