# SPDX-License-Identifier: Apache-2.0
"""`ecnomy dashboard`: serves a live page (Mesa's SolaraViz) of a running market."""
