"""The picture of the README, made by the program itself: python tools/pictures.py"""

from pathlib import Path

import parakin as pk
from parakin.description import library
from parakin.plots.files import png
from parakin.plots.robot import robot_figure

figure = robot_figure([pk.load(name) for name in library()], columns=7)
Path(__file__).parents[1].joinpath("docs", "robots.png").write_bytes(png(figure))
