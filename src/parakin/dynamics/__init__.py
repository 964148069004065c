"""Dynamics, symbolic: one file a formulation, one signature, one table."""
