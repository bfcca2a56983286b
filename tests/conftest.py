# SPDX-License-Identifier: Apache-2.0
"""Hypothesis for all tests: other work on the machine is no fault of what is tested."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

settings.register_profile("unhurried", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("unhurried")
