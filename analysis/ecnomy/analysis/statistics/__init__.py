# SPDX-License-Identifier: Apache-2.0
"""Intervals, tests and comparisons over seeds and over time."""
