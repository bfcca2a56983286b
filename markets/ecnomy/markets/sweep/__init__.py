# SPDX-License-Identifier: Apache-2.0
"""Sweeps: many runs of one scenario on one machine or many, which can be resumed."""
