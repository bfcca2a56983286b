# SPDX-License-Identifier: Apache-2.0
"""Welfare of a run: what rates were worth, who paid and who earned, how near to the best.

declared     agents that declare a utility; optimum: the best rates; stability: room to go
"""
