"""Estimating parameters from states: least squares, how sure each parameter is, and which ones count."""
