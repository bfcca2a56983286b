# SPDX-License-Identifier: Apache-2.0
"""OMNeT++/INET as the packet engine: a plan as NED and ini, and the start of opp_run."""
