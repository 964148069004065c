"""Gains: from a bandwidth, by default, or such that loops have one margin; and the margins of a loop."""
