"""Poses from pictures by least squares, with covariances, reasons to doubt them and a search from far away."""
