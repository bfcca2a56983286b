# SPDX-License-Identifier: Apache-2.0
"""`ecnomy tournament`: strategies play against each other in mixed populations on a network.

tournament_file.py and entrants.py read the file. profiles.py defines the mixes, playing.py runs
them with the sweep runner, and payoffs.py makes the table of pay-offs. From that table, replies.py
computes profitable changes, ecnomy.analysis.game.dynamics the drift of a population (open_spiel),
and paying.py whether paying pays off. pictures.py and page.py show the results.
"""
