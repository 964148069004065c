"""Distances to silhouettes another way: from a robot's elements and tangents to circles, without contours' normals."""

from __future__ import annotations

import numpy as np

from parakin.vision import Rig, Sightings


def silhouette_distances(rig: Rig, pose: np.ndarray, radii: np.ndarray, seen: Sightings) -> np.ndarray:
    """Distances of points to silhouettes, from the robot's elements and tangents to circles around two of its points.

    The surface's normal v where it is seen edge-on fulfils v·(c + r v) = 0 around the point c of the axis.
    """
    n = rig.robot.degrees_of_freedom
    elements = rig.robot.elements(pose, np.zeros(n), np.zeros(n))
    out = np.empty(len(seen))
    for i in range(len(seen)):
        rod, eye = rig.rods[seen.rod[i]], rig.cameras[seen.camera[i]]
        x, root = elements.x[rod.element] @ eye.R_OK, (elements.A[rod.element] - eye.p_OK) @ eye.R_OK
        ends = []
        for t in (0.1, 0.6):
            c = root + t * elements.d[rod.element] * x
            flat = c - (c @ x) * x
            first = flat / np.linalg.norm(flat)
            angle = np.arccos(-radii[seen.rod[i]] / np.linalg.norm(flat)) * (1 if seen.side[i] else -1)
            v = np.cos(angle) * first + np.sin(angle) * np.cross(first, x)
            P = c + radii[seen.rod[i]] * v
            ends.append((P[:2] / P[2], c[:2] / c[2]))
        along = ends[1][0] - ends[0][0]
        across = np.array([-along[1], along[0]]) / np.linalg.norm(along)
        inwards = np.sign(across @ (ends[0][1] - ends[0][0]))
        out[i] = inwards * across @ (seen.m[i] - ends[0][0])
    return out
