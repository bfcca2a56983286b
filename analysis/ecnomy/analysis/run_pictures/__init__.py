# SPDX-License-Identifier: Apache-2.0
"""Plots of one run. An entry in picture_list.py adds a picture to `ecnomy show` and a run's page.

picture_list     the list of a run's pictures
overview         rates, payments, marking and queue over time; congested_links: links shown there
network_*        a run on a map of its network
carriers_plot    prices, utilisation, income and customers of carriers
guarantees_plot  blocking, calls, promises and money of a guaranteed stream provider
"""
