# SPDX-License-Identifier: Apache-2.0
"""Packet engines: finding one (registry), starting and watching it (process, omnet, linux)."""
