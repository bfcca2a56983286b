# SPDX-License-Identifier: Apache-2.0
"""Sweeps: resumable sets of runs of one scenario, on one or more machines."""
