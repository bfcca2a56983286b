# SPDX-License-Identifier: Apache-2.0
"""Sweeps as OMNeT++ projects: points as iteration variables."""
