# SPDX-License-Identifier: Apache-2.0
"""Packet engines: finds them (registry), starts and watches them (process, omnet, linux)."""
