# SPDX-License-Identifier: Apache-2.0
"""`ecnomy dashboard`: a live page on Mesa's SolaraViz, over a running market."""
