# SPDX-License-Identifier: Apache-2.0
"""Sweeps: many runs of one scenario that resume, on one machine or many."""
