"""A controller in C can be called from Python: its structs for ctypes, and a first tick as an example."""

from __future__ import annotations

from collections.abc import Mapping

from parakin.arrays import Array
from parakin.export.interface import Member, Struct, Structs
from parakin.export.recording import Recording


def binding_text(structs: Structs, name: str, recording: Recording, ports: Mapping[str, tuple[str, ...]]) -> str:
    """Write a Python module that loads `lib<name>.so`.

    ports: names of the recorded inputs, in the order of the members of `reference` and of `measurement`.
    """
    guarded = structs.supervision is not None
    tick = {port: values[0] for port, values in recording.told.items()}
    begun, seen = (
        {struct.kind: _initial(struct, ports[struct.kind], told) for struct in (structs.reference, structs.measurement)}
        for told in (recording.first, tick)
    )
    kinds = [f"ctypes.POINTER({struct.kind.capitalize()})" for struct in structs if struct is not structs.gains]
    state, *told = kinds
    arguments = [state, "ctypes.POINTER(Gains)", *told, f"ctypes.c_{structs.real} * COUNT"]
    begin = [kind for kind in arguments if "Supervision" not in kind]
    return _BINDING.format(
        name=name,
        real=structs.real,
        precision="single" if structs.real == "float" else "double",
        classes="\n".join(_class(struct) for struct in structs),
        count=structs.tau.size,
        begin=", ".join(begin),
        arguments=", ".join(arguments),
        returned="ctypes.c_int" if guarded else "None",
        begun=", ".join(f"{kind.capitalize()}({values})" for kind, values in begun.items()),
        seen=", ".join(f"{kind.capitalize()}({values})" for kind, values in seen.items()),
        holding=", ".join(map(repr, recording.first["holding"].tolist())),
        supervision="Supervision(heartbeat=1.0, reset=0.0), " if guarded else "",
    )


def _class(struct: Struct) -> str:
    fields = "".join(f"        {_field(member)},\n" for member in struct.members)
    meaning = f"{struct.meaning[0].upper()}{struct.meaning[1:]}."
    head = f"class {struct.kind.capitalize()}(ctypes.Structure):"
    return f'{head}\n    """{meaning}"""\n\n    _fields_ = [\n{fields}    ]\n\n'


def _field(member: Member) -> str:
    kind = f"ctypes.c_{member.real}" + (f" * {member.size}" if member.size > 1 else "")
    return f'("{member.name}", {kind})'


def _initial(struct: Struct, ports: tuple[str, ...], first: Mapping[str, Array]) -> str:
    """Return the first values of a struct as arguments of its class."""
    values: list[str] = []
    for member, port in zip(struct.members, ports, strict=True):
        listed = ", ".join(map(repr, first[port].ravel().tolist()))
        values.append(f"({listed})" if member.size > 1 else listed)
    return ", ".join(values)


_BINDING = '''\
"""The controller {name} from Python, in {precision} precision as in C: run `make shared` first.

Run as a program, it starts the controller where its self-test does and prints the forces of one tick.
"""

import ctypes
from pathlib import Path

COUNT = {count}


{classes}
library = ctypes.CDLL(str(Path(__file__).resolve().with_name("lib{name}.so")))
gains = Gains.in_dll(library, "{name}_default_gains")
init, step = library.{name}_init, library.{name}_step
init.argtypes = [{begin}]
step.argtypes = [{arguments}]
init.restype = step.restype = {returned}


if __name__ == "__main__":
    state, tau = State(), (ctypes.c_{real} * COUNT)()
    holding = (ctypes.c_{real} * COUNT)({holding})
    init(state, gains, {begun}, holding)
    step(state, gains, {seen}, {supervision}tau)
    print(*tau)
'''
