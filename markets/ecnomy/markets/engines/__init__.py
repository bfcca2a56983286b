# SPDX-License-Identifier: Apache-2.0
"""Packet engines: how one is found (registry), started and watched (process, omnet)."""
