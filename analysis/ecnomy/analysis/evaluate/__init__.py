# SPDX-License-Identifier: Apache-2.0
"""`ecnomy evaluate`: a congestion control beside Reno and CUBIC, by the criteria of RFC 9743."""
