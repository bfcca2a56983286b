# SPDX-License-Identifier: Apache-2.0
"""Use OMNeT++/INET as the packet engine: write a plan as NED and ini files, and find opp_run."""
