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
from parakin.vision.estimates import Encoders, EstimateStatus, PoseEstimate, PoseEstimates
from parakin.vision.estimating import estimate, estimate_all
from parakin.vision.expected import expected_covariance
from parakin.vision.hidden import UnseenPose, Visibility, visibility
from parakin.vision.ideal_regions import Region, region_at, two_points
from parakin.vision.observer import Observer
from parakin.vision.observer_settings import ObserverSettings
from parakin.vision.picture_files import PictureFolder, picture_folder, write_pictures
from parakin.vision.rendering import render
from parakin.vision.rig import Rig, Rod, rig_of
from parakin.vision.rig_files import read_rig, write_rig
from parakin.vision.rods import RodLines, rod_lines
from parakin.vision.sightings import Offsets, Sightings, offsets_at, sightings_at
from parakin.vision.tracked import ObserverStatus, Tracked
from parakin.vision.visibility import Views, views_at
from parakin.vision.views import Views, views_at

__all__ = [
    "Appearance",
    "Calibration",
    "Camera",
    "Encoders",
    "EstimateStatus",
    "Observer",
    "ObserverSettings",
    "ObserverStatus",
    "Offsets",
    "PictureFolder",
    "PoseEstimate",
    "PoseEstimates",
    "Region",
    "Rig",
    "Rod",
    "RodLines",
    "Sightings",
    "Tracked",
    "UnseenPose",
    "Views",
    "Visibility",
    "calibrate",
    "encoder_covariance",
    "estimate",
    "estimate_all",
    "expected_covariance",
    "looking_at",
    "offsets_at",
    "picture_folder",
    "read_rig",
    "region_at",
    "render",
    "rig_of",
    "rod_lines",
    "sightings_at",
    "two_points",
    "views_at",
    "visibility",
    "write_pictures",
    "write_rig",
]
