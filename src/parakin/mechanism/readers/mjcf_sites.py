"""The sites of an MJCF file, as frames of interest."""

from __future__ import annotations

import numpy as np

from parakin.mechanism.model import BASE
from parakin.mechanism.numeric import quaternion_matrix
from parakin.mechanism.readers.draft import Draft, DraftFrame, placed
from parakin.mechanism.readers.mjcf_model import Compiled


def add_sites(draft: Draft, model: Compiled) -> None:
    """Make frames of the named sites, but for those that close loops: these are in the joints they make."""
    ends = {BASE, *(body.name for body in draft.bodies)}
    closing = {
        end
        for entry in model.numbers.equalities
        if entry.active and entry.of == model.code("mjOBJ_SITE")
        for end in entry.ends
    }
    nameless = 0
    for k, site in enumerate(model.numbers.sites):
        body, place = model.bodies[site.body], model.place("site", site.name)
        if k in closing:
            continue
        if not site.name:
            nameless += 1
        elif body not in ends:
            draft.journal.dropped(place, f"a frame on '{body}', which is left out")
        else:
            at = placed(site.pos, quaternion_matrix(np.array(site.quat)))
            draft.frames.append(DraftFrame(site.name, place, body, at))
    if nameless:
        draft.journal.dropped("<site>", f"{nameless} without a name, which no frame of a mechanism file is")
