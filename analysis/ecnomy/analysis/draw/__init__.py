# SPDX-License-Identifier: Apache-2.0
"""What plots of several subpackages share, and the plot of utilities.

panels          axes, colours, legends and phases; saving
fitted_text     text cut to a given width
shown_figure    figures that notebooks display
utilities_plot  all utilities that ecnomy provides
"""
