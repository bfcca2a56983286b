# SPDX-License-Identifier: Apache-2.0
"""`ecnomy evaluate`: a congestion control, Reno and CUBIC compared by the criteria of RFC 9743."""
