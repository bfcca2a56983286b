# SPDX-License-Identifier: Apache-2.0
"""Packet engines: find them (registry), start and watch them (process, omnet, linux)."""
