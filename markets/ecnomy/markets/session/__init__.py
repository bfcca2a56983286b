# SPDX-License-Identifier: Apache-2.0
"""A run from its first to its last message, with its steps, progress and results.

session        engine, socket, market and results of one run; conversation: its messages
runner         a complete run; serve: runs of engines that are started by hand
retention      the outputs of a run
qtenv_screen   a market's display in Qtenv; qtenv_hand: values set by its user
"""
