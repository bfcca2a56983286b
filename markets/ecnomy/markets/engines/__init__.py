# SPDX-License-Identifier: Apache-2.0
"""Packet engines: how to find one (registry), start it and watch it (process, omnet, linux)."""
