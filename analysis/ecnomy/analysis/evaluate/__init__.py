# SPDX-License-Identifier: Apache-2.0
"""`ecnomy evaluate`: tests a congestion control against Reno and CUBIC, as RFC 9743 requires."""
