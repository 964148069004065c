"""The dynamics of any mechanism with loops, symbolic."""
