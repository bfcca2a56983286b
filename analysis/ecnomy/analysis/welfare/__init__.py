# SPDX-License-Identifier: Apache-2.0
"""The welfare of a run: users' utility, payments, profits, and the distance from the optimum.

declared_utilities  agents that declare a utility
subwindows   parts of a window between starts and stops of sources
optimum      the rates that maximise utility
stability    the stability margin of links
"""
