"""Where cameras are in the base frame, from sightings at known poses."""
