"""Motions that robots are given, one file each; `table.py` lists them by name."""
