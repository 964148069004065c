"""Which motions of the platform cameras can see, and how well: information, rank and lost motions."""
