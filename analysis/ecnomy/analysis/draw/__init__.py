# SPDX-License-Identifier: Apache-2.0
"""Pictures of runs, each a function that returns a figure.

overview     rates, payments, marking and queue over time; panels: its axes and phases
network_*    a run on a map of its network
carriers_plot, guarantees_plot, utilities_plot: as their names say
fitted_text  text that fits where it is drawn
"""
