# SPDX-License-Identifier: Apache-2.0
"""`ecnomy evaluate`: a congestion control against Reno and CUBIC, by the criteria of RFC 9743."""
