"""Places of cameras from sightings at known poses as least squares: residuals, slopes and steps.

Unknown of each camera are a twist [v; w] in its own frame, p_OK + R_OK v and R_OK exp(w), and where it is asked for
its focal lengths and its centre; of all images the radii of rods, known radius + deviation y; and where poses are known
only to a covariance L L^T, z of each, its displacement being L z. y and z have deviations of one before anything is
seen.

    dm = -(d pixel/d m)^-1 (dc + d df)          a pixel in the normalised picture of a camera whose centre and focal
                                                lengths change; d: the distorted point, (pixel - c)/f
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from parakin.arrays import Array, frozen_arrays
from parakin.motions.offsets import displaced
from parakin.quaternions import quaternion_from_vector, rotation_matrix
from parakin.vision.estimation.fitting import Rows, State
from parakin.vision.estimation.image_problems import offsets_of_images
from parakin.vision.rigs.camera import Camera
from parakin.vision.rigs.rig import Rig, radii_of
from parakin.vision.rigs.rods import rod_lines
from parakin.vision.rigs.sightings import Integers, Offsets, Sightings


@frozen_arrays
class CameraProblem:
    """One problem, see `fitting.Problems`.

    Its state is p_OK, R_OK, focal lengths and centres of all cameras, y of radii, z of poses.
    """

    rig: Rig
    """Where the cameras are thought to be."""
    poses: Array
    """Poses of the images (images, coordinates)."""
    roots: Array | None
    """L of each pose's covariance (images, n, n); None for poses that are exact."""
    image: Integers
    """Which image each sighting is of (points,)."""
    seen: Sightings
    """The sightings of all images."""
    lens: tuple[int, ...]
    """Which of f_u, f_v, c_u, c_v are unknown, by number."""

    @property
    def of_camera(self) -> int:
        """How many numbers of a camera are unknown."""
        return 6 + len(self.lens)

    @property
    def unknowns(self) -> tuple[int, int, int]:
        """How many numbers of cameras, of radii and of poses are unknown."""
        poses = 0 if self.roots is None else self.roots.shape[0] * self.roots.shape[1]
        return len(self.rig.cameras) * self.of_camera, len(self.rig.rods), poses

    @property
    def spans(self) -> list[slice]:
        """All rows belong to the one problem."""
        return [slice(0, len(self.gated))]

    @property
    def gated(self) -> NDArray[np.bool_]:
        """Sightings may be rejected; radii and poses are prior knowledge."""
        return np.arange(len(self.seen) + sum(self.unknowns[1:])) < len(self.seen)

    @property
    def known_names(self) -> tuple[str, ...]:
        """What the rows that cannot be rejected are of."""
        names = tuple(f"the radius of {name}" for name in self.rig.rod_names)
        return names if self.roots is None else (*names, *self._pose_names)

    @property
    def _pose_names(self) -> tuple[str, ...]:
        axes = self.rig.robot.motion_type.offset_names
        return tuple(f"pose {image} ({axis} and others)" for image in range(len(self.poses)) for axis in axes)

    @cached_property
    def _pixels(self) -> Array:
        """What the cameras of the rig, as they are thought to be, have as pixels (points, 2)."""
        every = np.stack([camera.pixels_of(self.seen.m) for camera in self.rig.cameras])
        return every[self.seen.camera, np.arange(len(self.seen))]

    def start(self) -> State:
        """Return the state in which everything is as it is thought to be."""
        cameras = self.rig.cameras
        lens = np.array([[*camera.focal, *camera.middle] for camera in cameras])
        places = (np.array([camera.p_OK for camera in cameras]), np.array([camera.R_OK for camera in cameras]))
        free = self.unknowns
        return (places[0][None], places[1][None], lens[None], np.zeros((1, free[1])), np.zeros((1, free[2])))

    def cameras(self, state: State) -> tuple[Camera, ...]:
        """Return the cameras of a state; those whose lens is not asked for keep what they have."""
        p_OK, R_OK, lens = (values[0] for values in state[:3])
        found: list[Camera] = []
        for k, camera in enumerate(self.rig.cameras):
            placed = camera.placed(p_OK[k], R_OK[k])
            f_u, f_v, c_u, c_v = map(float, lens[k])
            found.append(replace(placed, focal=(f_u, f_v), centre=(c_u, c_v)) if self.lens else placed)
        return tuple(found)

    def rows(self, state: State) -> Rows:
        """Return residuals and slopes: of sightings, then of radii, then of poses."""
        rig = replace(self.rig, cameras=self.cameras(state))
        seen = self._renormalized(rig)
        y, z = state[3][0], state[4][0]
        radius, deviation = radii_of(rig)
        lines = rod_lines(rig, self._displaced(z))
        radii = np.broadcast_to(radius + deviation * y, (len(self.poses), len(y)))
        offsets = offsets_of_images(rig, lines, self.image, seen, radii)
        blocks = [self._by_cameras(rig, seen, offsets)]
        blocks.append(np.eye(len(y))[seen.rod] * (deviation[seen.rod] * offsets.by_radius)[:, None])
        if self.roots is not None:
            own = np.einsum("pi,pij->pj", offsets.by_pose, self.roots[self.image])
            every = np.eye(len(self.poses))[self.image][:, :, None] * own[:, None, :]
            blocks.append(every.reshape(len(seen), -1))
        slopes = np.concatenate(blocks, axis=1) / seen.deviation[:, None]
        known = np.concatenate([y, z])
        prior = np.concatenate([np.zeros((len(known), self.unknowns[0])), np.eye(len(known))], axis=1)
        return Rows(np.concatenate([offsets.distance / seen.deviation, known]), np.concatenate([slopes, prior]))

    def _displaced(self, z: Array) -> Array:
        if self.roots is None:
            return self.poses
        steps = np.einsum("bij,bj->bi", self.roots, z.reshape(len(self.poses), -1))
        return displaced(self.rig.robot.motion_type, self.poses, steps)

    def _renormalized(self, rig: Rig) -> Sightings:
        """Return the sightings in the normalised pictures of other lenses."""
        if not self.lens:
            return self.seen
        every = np.stack([camera.normalized(self._pixels) for camera in rig.cameras])
        return replace(self.seen, m=every[self.seen.camera, np.arange(len(self.seen))])

    def _by_cameras(self, rig: Rig, seen: Sightings, offsets: Offsets) -> Array:
        """Return derivatives of distances by twists and lenses of all cameras (points, cameras * of_camera)."""
        own = offsets.by_camera
        if self.lens:
            inwards = offsets.by_camera[:, :2] * offsets.Z[:, None]
            slopes = np.stack([camera.pixel_slopes(seen.m) for camera in rig.cameras])
            lens = np.array([[*camera.focal, *camera.middle] for camera in rig.cameras])[seen.camera]
            bent = (self._pixels - lens[:, 2:]) / lens[:, :2]
            back = np.linalg.inv(slopes[seen.camera, np.arange(len(seen))])
            by_pixel = -np.einsum("pi,pij->pj", inwards, back)
            by_lens = np.concatenate([by_pixel * bent, by_pixel], axis=1)
            own = np.concatenate([own, by_lens[:, list(self.lens)]], axis=1)
        of_own = np.eye(len(rig.cameras))[seen.camera]
        return (of_own[:, :, None] * own[:, None, :]).reshape(len(seen), -1)

    def moved(self, state: State, steps: Array) -> State:
        """Return the state after steps."""
        p_OK, R_OK, lens, y, z = state
        free = self.unknowns
        of_cameras, of_radii, of_poses = np.split(steps[0], np.cumsum(free)[:2])
        each = of_cameras.reshape(len(self.rig.cameras), self.of_camera)
        turns = rotation_matrix(quaternion_from_vector(each[:, 3:6]))
        moved_lens = np.array(lens)
        moved_lens[0][:, list(self.lens)] += each[:, 6:]
        p = p_OK + np.einsum("bkij,kj->bki", R_OK, each[:, :3])
        return (p, R_OK @ turns, moved_lens, y + of_radii, z + of_poses)
