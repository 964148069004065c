"""Where a robot can be: its workspace, why it ends, how large it is, and what fits inside.

>>> import numpy as np
>>> import parakin as pk
>>> robot = pk.load("delta")
"""
