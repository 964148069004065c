"""What `mobility_of` finds out about a robot of legs, as data and in words."""

from __future__ import annotations

from dataclasses import dataclass

from parakin.mechanism.twists import joined


@dataclass(frozen=True)
class Mobility:
    """What the joints of a robot of legs let its platform do."""

    motion: str
    """What the file claims."""
    freedoms: int
    """How many independent twists the platform has, where it has the fewest."""
    redundant: int
    """How many conditions of joints say what others say already."""
    redundant_joints: tuple[str, ...]
    """The joints of the graph that take part in these."""
    spins: dict[str, int]
    """How many rods of a leg spin about their own lines, which moves nothing else, by the leg's name."""
    idle: tuple[str, ...]
    """Other joint freedoms that move neither motors nor the platform: joint.freedom each."""
    pin: bool
    """Whether the legs meet in a point that has a place and no orientation."""
    problems: tuple[str, ...]
    """In which way the platform does not move as claimed, each with the legs and a remedy; empty if it does."""
    warnings: tuple[str, ...] = ()
    """What is so at home alone, and elsewhere as claimed: home is a singularity."""

    @property
    def good(self) -> bool:
        """Whether the platform moves as the file claims."""
        return not self.problems

    def __str__(self) -> str:
        held = "as its joints allow" if self.good else "which its joints do not give it"
        lines = [f"mobility: {self.motion} motion, {held}; {self.freedoms} freedoms of the platform"]
        if self.pin:
            lines.append("mobility: the legs meet in a pin, which has a place and no orientation")
        if self.redundant:
            where = f", between {joined(self.redundant_joints)}" if self.redundant_joints else ""
            lines.append(f"redundant constraints: {self.redundant}{where}")
        else:
            lines.append("redundant constraints: none")
        count = sum(self.spins.values()) + len(self.idle)
        if self.spins:
            lines.append(f"idle freedoms: {count}, rods of {joined(tuple(self.spins))} that spin about their own lines")
        if self.idle:
            lines.append(f"idle freedoms: {joined(self.idle)}")
        if not count:
            lines.append("idle freedoms: none")
        lines += [f"problem: {problem}" for problem in self.problems]
        return "\n".join([*lines, *(f"warning: {warning}" for warning in self.warnings)])
