# SPDX-License-Identifier: Apache-2.0
"""OMNeT++/INET as the packet engine: write a plan as NED and ini, and find opp_run."""
