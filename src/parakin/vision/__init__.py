"""What cameras see of a robot, and the robot's state from that: observed kinematic elements.

>>> from dataclasses import replace
>>> import numpy as np
>>> import parakin as pk
>>> robot = pk.load("quattro")
>>> DOWN = pk.vision.looking_at([0, 0, 0], [0, 0, -1], [1, 0, 0])
>>> camera = pk.vision.Camera("top", size=(1024, 1024), focal=(640.0, 640.0), p_OK=[0, 0, 0], R_OK=DOWN)
>>> rig = pk.vision.rig_of(robot, camera, "*.forearm", radius=0.008)
>>> seen = pk.vision.sightings_at(rig, robot.home, points=5)
>>> picture = pk.vision.render(rig, robot.home)
>>> look, regions = pk.vision.Appearance(noise=2.0), pk.vision.regions_at(rig, robot.home)
>>> patches = [pk.vision.render(rig, robot.home, appearance=look, region=region.window) for region in regions]
>>> schedule = pk.vision.schedule_of(rig, regions=8, cycle=2e-3)
>>> observer = pk.vision.Observer(rig)
>>> tracked = observer.first(robot.home, position_deviation=1e-3)
>>> for k in range(8):
...     region = pk.vision.region_at(rig, robot.home, rod=k % 4, place=0.4)
...     tracked = observer.step(tracked, region, robot.static_forces(robot.home), time=(k + 1) / 4000)
...
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from parakin.lazy import importer

if TYPE_CHECKING:
    from parakin.vision.calibration.calibrating import Calibration, calibrate, encoder_covariance
    from parakin.vision.edges.finding import EdgeReport, Edges, EdgeStatus, find_edges
    from parakin.vision.edges.regions import PictureRegion, Schedule, Slot, picture_region, regions_at, schedule_of
    from parakin.vision.estimation.estimates import Encoders, EstimateStatus, PoseEstimate, PoseEstimates
    from parakin.vision.estimation.estimating import estimate, estimate_all
    from parakin.vision.estimation.observing import Observation, Observed, observe
    from parakin.vision.loops.rendered import Rendered
    from parakin.vision.loops.sensing import camera_sensor, encoder_sensor
    from parakin.vision.loops.watched_runs import Glance, watched_run
    from parakin.vision.loops.watching import EdgeNoise, Watching, fitted_noise, region_offsets
    from parakin.vision.observability.hidden import UnseenPose, Visibility, visibility
    from parakin.vision.observability.information import expected_covariance
    from parakin.vision.observability.views import Views, views_at
    from parakin.vision.observers.ideal_regions import Region, region_at, two_points
    from parakin.vision.observers.observer import Observer
    from parakin.vision.observers.settings import ObserverSettings
    from parakin.vision.observers.tracked import ObserverStatus, Tracked
    from parakin.vision.pictures.appearance import Appearance
    from parakin.vision.pictures.picture_files import PictureFolder, picture_folder, write_pictures
    from parakin.vision.pictures.rendering import render
    from parakin.vision.rigs.camera import Camera, looking_at
    from parakin.vision.rigs.rig import Rig, Rod, rig_of
    from parakin.vision.rigs.rig_files import read_rig, write_rig
    from parakin.vision.rigs.rods import RodLines, rod_lines
    from parakin.vision.rigs.sightings import Offsets, Sightings, contour_curves, offsets_at, sightings_at

__getattr__ = importer(
    __name__,
    {
        "parakin.vision.calibration.calibrating": "Calibration calibrate encoder_covariance",
        "parakin.vision.edges.finding": "EdgeReport Edges EdgeStatus find_edges",
        "parakin.vision.edges.regions": "PictureRegion Schedule Slot picture_region regions_at schedule_of",
        "parakin.vision.estimation.estimates": "Encoders EstimateStatus PoseEstimate PoseEstimates",
        "parakin.vision.estimation.estimating": "estimate estimate_all",
        "parakin.vision.estimation.observing": "Observation Observed observe",
        "parakin.vision.loops.rendered": "Rendered",
        "parakin.vision.loops.sensing": "camera_sensor encoder_sensor",
        "parakin.vision.loops.watched_runs": "Glance watched_run",
        "parakin.vision.loops.watching": "EdgeNoise Watching fitted_noise region_offsets",
        "parakin.vision.observability.hidden": "UnseenPose Visibility visibility",
        "parakin.vision.observability.information": "expected_covariance",
        "parakin.vision.observability.views": "Views views_at",
        "parakin.vision.observers.ideal_regions": "Region region_at two_points",
        "parakin.vision.observers.observer": "Observer",
        "parakin.vision.observers.settings": "ObserverSettings",
        "parakin.vision.observers.tracked": "ObserverStatus Tracked",
        "parakin.vision.pictures.appearance": "Appearance",
        "parakin.vision.pictures.picture_files": "PictureFolder picture_folder write_pictures",
        "parakin.vision.pictures.rendering": "render",
        "parakin.vision.rigs.camera": "Camera looking_at",
        "parakin.vision.rigs.rig": "Rig Rod rig_of",
        "parakin.vision.rigs.rig_files": "read_rig write_rig",
        "parakin.vision.rigs.rods": "RodLines rod_lines",
        "parakin.vision.rigs.sightings": "Offsets Sightings contour_curves offsets_at sightings_at",
    },
)

__all__ = [
    "Appearance",
    "Calibration",
    "Camera",
    "EdgeNoise",
    "EdgeReport",
    "EdgeStatus",
    "Edges",
    "Encoders",
    "EstimateStatus",
    "Glance",
    "Observation",
    "Observed",
    "Observer",
    "ObserverSettings",
    "ObserverStatus",
    "Offsets",
    "PictureFolder",
    "PictureRegion",
    "PoseEstimate",
    "PoseEstimates",
    "Region",
    "Rendered",
    "Rig",
    "Rod",
    "RodLines",
    "Schedule",
    "Sightings",
    "Slot",
    "Tracked",
    "UnseenPose",
    "Views",
    "Visibility",
    "Watching",
    "calibrate",
    "camera_sensor",
    "contour_curves",
    "encoder_covariance",
    "encoder_sensor",
    "estimate",
    "estimate_all",
    "expected_covariance",
    "find_edges",
    "fitted_noise",
    "looking_at",
    "observe",
    "offsets_at",
    "picture_folder",
    "picture_region",
    "read_rig",
    "region_at",
    "region_offsets",
    "regions_at",
    "render",
    "rig_of",
    "rod_lines",
    "schedule_of",
    "sightings_at",
    "two_points",
    "views_at",
    "visibility",
    "watched_run",
    "write_pictures",
    "write_rig",
]
