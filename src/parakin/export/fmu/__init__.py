"""Controllers and plants as functional mock-up units (FMI 2.0 and 3.0, co-simulation): sources and binary in one file.

`blocks.py` has the data of a unit; `controller_block.py` and `plant_block.py` make them of laws and robots; the
functions of the standard are `assets/fmi2.c` and `assets/fmi3.c`, the same for all units.
"""
