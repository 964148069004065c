"""Reading logs: which column is which signal, in which unit, row by row in SI."""
