"""Set points that a controller computes at every tick, as expressions of fixed length: `parakin.export` prints them."""
