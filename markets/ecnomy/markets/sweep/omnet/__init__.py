# SPDX-License-Identifier: Apache-2.0
"""Sweeps as OMNeT++ projects, with points as iteration variables."""
