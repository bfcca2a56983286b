# SPDX-License-Identifier: Apache-2.0
"""Run a market with an engine, step by step or to the end.

session        the engine, socket, market and results of a run; conversation: messages of a run
runner         a complete run; serve: runs of engines that are started by hand
retention      the outputs of a run
qtenv_screen   the display of a market in Qtenv; qtenv_hand: values set in Qtenv by the user
"""
