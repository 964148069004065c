"""Estimating parameters while the robot moves, one tick at a time: recursive least squares and Kalman filters."""
