# SPDX-License-Identifier: Apache-2.0
"""Confidence intervals, tests and comparisons over seeds and over time."""
