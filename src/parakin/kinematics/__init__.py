"""Exact motion of everything that moves, symbolic."""
