"""Contours of rods found in pictures to a hundredth of a pixel: regions, scan lines, edges and their profiles."""
