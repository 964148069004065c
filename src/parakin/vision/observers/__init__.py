"""A Kalman filter that follows a moving robot through regions of interest, and its steps as kernels."""
