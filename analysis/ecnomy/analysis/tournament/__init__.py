# SPDX-License-Identifier: Apache-2.0
"""`ecnomy tournament`: strategies play against each other in mixed populations on a network.

tournament_file.py and entrants.py read the file. profiles.py defines the mixes, playing.py runs
them as a sweep, and payoffs.py computes the pay-offs. From the pay-offs, replies.py computes
profitable changes of strategy, ecnomy.analysis.game.dynamics computes the drift of a population
(open_spiel), and paying.py tests whether paying is worthwhile. payoff_plots.py and page.py show the
results.
"""
