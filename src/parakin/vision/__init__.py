"""What cameras see of a robot, and the robot's state from that: observed kinematic elements.

>>> from dataclasses import replace
>>> import numpy as np
>>> import parakin as pk
>>> robot = pk.load("quattro")
>>> DOWN = pk.vision.looking_at([0, 0, 0], [0, 0, -1], [1, 0, 0])
>>> camera = pk.vision.Camera("top", size=(1024, 1024), focal=(640.0, 640.0), p_OK=[0, 0, 0], R_OK=DOWN)
>>> rig = pk.vision.rig_of(robot, camera, "*.forearm", radius=0.008)
>>> seen = pk.vision.sightings_at(rig, robot.home, points=5)
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
from parakin.vision.camera import Camera, looking_at
from parakin.vision.edges import EdgeReport, Edges, EdgeStatus, find_edges
from parakin.vision.ideal_regions import Region, region_at, two_points
from parakin.vision.noise_fit import fitted_noise, region_offsets
from parakin.vision.observer import Observer
from parakin.vision.observer_settings import ObserverSettings
from parakin.vision.regions import Region as PictureRegion
from parakin.vision.regions import Schedule, Slot, regions_at, schedule_of
from parakin.vision.regions import region_at as picture_region
from parakin.vision.rendered import Rendered
from parakin.vision.rendering import render
from parakin.vision.rig import Rig, Rod, rig_of
from parakin.vision.rig_files import read_rig, write_rig
from parakin.vision.rods import RodLines, rod_lines
from parakin.vision.sensing import camera_sensor, encoder_sensor
from parakin.vision.sightings import Offsets, Sightings, offsets_at, sightings_at
from parakin.vision.tracked import ObserverStatus, Tracked
from parakin.vision.watched_run import Glance, watched_run
from parakin.vision.watching import EdgeNoise, Watching

__all__ = [
    "Appearance",
    "Camera",
    "EdgeNoise",
    "EdgeReport",
    "EdgeStatus",
    "Edges",
    "Glance",
    "Observer",
    "ObserverSettings",
    "ObserverStatus",
    "Offsets",
    "PictureRegion",
    "Region",
    "Rendered",
    "Rig",
    "Rod",
    "RodLines",
    "Schedule",
    "Sightings",
    "Slot",
    "Tracked",
    "Watching",
    "camera_sensor",
    "encoder_sensor",
    "find_edges",
    "fitted_noise",
    "looking_at",
    "offsets_at",
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
    "watched_run",
    "write_rig",
]
