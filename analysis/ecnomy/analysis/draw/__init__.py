# SPDX-License-Identifier: Apache-2.0
"""Plots of runs.

overview         rates, payments, marking and queue over time; panels has its axes and phases
network_*        a run on a map of its network
carriers_plot    several carriers side by side
guarantees_plot  a guaranteed stream provider
utilities_plot   all utilities that ecnomy provides
fitted_text      text cut to a given width
"""
