# SPDX-License-Identifier: Apache-2.0
"""Sweeps: many runs of one scenario, on one or more machines, which can be resumed."""
