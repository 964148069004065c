"""What surrounds a law on its machine, as C: set points, homing, and the states that the machine can be in."""
