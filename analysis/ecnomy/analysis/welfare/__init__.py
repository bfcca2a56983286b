# SPDX-License-Identifier: Apache-2.0
"""Welfare of a run: the value of rates, payments, earnings, and the distance from the optimum.

declared     agents that declare a utility
optimum      the best rates
stability    the stability margin of links
"""
