# SPDX-License-Identifier: Apache-2.0
"""Plots of runs.

overview         rates, payments, marking and queue over time; panels: axes and phases
network_*        a run on a map of its network
carriers_plot    prices, utilisation, income and customers of carriers
guarantees_plot  blocking, calls, promises and money of a guaranteed stream provider
utilities_plot   all utilities that ecnomy provides
fitted_text      text cut to a given width
"""
