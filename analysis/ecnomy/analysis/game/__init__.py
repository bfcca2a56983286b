# SPDX-License-Identifier: Apache-2.0
"""`ecnomy game`: rest points, best replies and alpha-rank of a pay-off matrix.

matrix.py reads the matrix, equilibria.py finds equilibria, and stability.py tests their stability.
solution.py combines these results, and table.py and command.py print them. Tournaments also use
dynamics.py (replicator dynamics and alpha-rank, by open_spiel), profiles.py and wording.py.
"""
