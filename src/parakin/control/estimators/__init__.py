"""Symbolic cores of on-line estimators: rotations, roots of covariances, residuals of momentum."""
