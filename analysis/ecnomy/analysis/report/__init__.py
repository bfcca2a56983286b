# SPDX-License-Identifier: Apache-2.0
"""`ecnomy report`: chooses the page for a run, a sweep or a business."""
