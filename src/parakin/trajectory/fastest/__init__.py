"""The fastest motion along a path: its geometry, what limits ask, the scan that finds the pace, and the result."""
