"""Linear algebra of models: symbolic solves without branches, sparse elimination, and orders found from samples."""
