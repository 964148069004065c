"""Cameras and observers as sensors of closed loops, compiled or run tick by tick on rendered pictures."""
