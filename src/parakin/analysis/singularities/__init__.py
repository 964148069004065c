"""Where a robot is singular: margins of every type, curves on slices, the nearest one, and what is lost there.

>>> import numpy as np
>>> import parakin as pk
>>> robot = pk.load("delta")
"""
