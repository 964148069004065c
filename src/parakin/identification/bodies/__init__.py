"""From estimated parameters to real bodies, and to a robot file that holds them."""
