# SPDX-License-Identifier: Apache-2.0
"""`ecnomy tournament`: strategies that play each other in mixed populations over one network.

declared.py and entrants.py read the file, profiles.py says who plays whom, playing.py has it run
by the sweep runner, payoffs.py makes the table of what everybody earned. Of that table replies.py
asks who would change, ecnomy.analysis.game.dynamics where a population drifts (open_spiel),
paying.py whether paying pays; pictures.py and page.py show it.
"""
