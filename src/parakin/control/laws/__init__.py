"""The control laws: one file for each, named after it, and one row in `table.LAWS`."""
