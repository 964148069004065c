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

from parakin.vision.appearance import Appearance
from parakin.vision.calibrating import Calibration, calibrate, encoder_covariance
from parakin.vision.camera import Camera, looking_at
from parakin.vision.edges import EdgeReport, Edges, EdgeStatus, find_edges
from parakin.vision.estimates import Encoders, EstimateStatus, PoseEstimate, PoseEstimates
from parakin.vision.estimating import estimate, estimate_all
from parakin.vision.expected import expected_covariance
from parakin.vision.hidden import UnseenPose, Visibility, visibility
from parakin.vision.ideal_regions import Region, region_at, two_points
from parakin.vision.noise_fit import fitted_noise, region_offsets
from parakin.vision.observer import Observer
from parakin.vision.observer_settings import ObserverSettings
from parakin.vision.observing import Observation, Observed, observe
from parakin.vision.picture_files import PictureFolder, picture_folder, write_pictures
from parakin.vision.regions import PictureRegion, Schedule, Slot, picture_region, regions_at, schedule_of
from parakin.vision.rendered import Rendered
from parakin.vision.rendering import render
from parakin.vision.rig import Rig, Rod, rig_of
from parakin.vision.rig_files import read_rig, write_rig
from parakin.vision.rods import RodLines, rod_lines
from parakin.vision.sensing import camera_sensor, encoder_sensor
from parakin.vision.sightings import Offsets, Sightings, contour_curves, offsets_at, sightings_at
from parakin.vision.tracked import ObserverStatus, Tracked
from parakin.vision.views import Views, views_at
from parakin.vision.watched_runs import Glance, watched_run
from parakin.vision.watching import EdgeNoise, Watching

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
