"""Turn LLVM text into machine code of this host, through the cache."""

from __future__ import annotations

import ctypes
import hashlib
import importlib.metadata
import platform
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import llvmlite
import llvmlite.binding as llvm
import numpy as np

from parakin.kernels import disk_cache
from parakin.kernels.texts import digest_of_texts, modules_below

EFFORT = 2
"""How hard LLVM works on code, from 0 to 3. It changes how quick the code is, and no bit of a result."""

Run = Callable[[int | ctypes.c_void_p, int | ctypes.c_void_p, int | ctypes.c_int64, int | ctypes.c_int64], int]
"""run(address of context, address of workspace, first state, state after the last) -> 1 if an input was unusable"""


@dataclass(frozen=True)
class Host:
    """The processor that code is made for, in LLVM's words."""

    triple: str
    """Architecture, vendor and system, such as x86_64-unknown-linux-gnu."""
    cpu: str
    """Name of the processor model."""
    features: str
    """Instruction sets that it has and has not, as +name and -name."""

    @property
    def width(self) -> int:
        """Lanes of its registers: how many doubles one instruction works on."""
        return 8 if "+avx512f" in self.features else 4 if "+avx2" in self.features else 2

    @property
    def fused(self) -> bool:
        """Whether it multiplies and adds in one instruction."""
        return "+fma" in self.features or self.triple.startswith(("aarch64", "arm64"))


@cache
def host() -> Host:
    """Return the host, after making LLVM ready for it."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return Host(llvm.get_process_triple(), llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten())


KERNELS = Path(__file__).parent
"""Where the text is that makes code of a program."""
PACKAGE = KERNELS.parent
"""Where the text is that derives programs, and makes code of them."""


@cache
def _maker(place: Path) -> bytes:
    """Digest what else decides a result: the versions and the host, and the text of every module below a directory."""
    digest = hashlib.sha256()
    casadi = importlib.metadata.version("casadi")  # without importing it, for a kernel in the cache needs none
    versions = (llvmlite.__version__, llvm.llvm_version_info, casadi, np.__version__, platform.python_version())
    digest.update(repr((versions, host())).encode())
    digest.update(digest_of_texts(place, modules_below(place)))
    return digest.digest()


def code_key(program: str, options: object) -> str:
    """Return the cache key of machine code: a digest of the program's digest, options, effort, host and maker."""
    return _key("code", KERNELS, program, repr((EFFORT, options)))


def derivation_key(content: str) -> str:
    """Return the cache key of a program's interface from all that its derivation reads: `Derivation` says what."""
    return _key("interface", PACKAGE, content)


def _key(kind: str, place: Path, *parts: str) -> str:
    digest = hashlib.sha256(_maker(place))
    digest.update(repr((kind, parts)).encode())
    return digest.hexdigest()


def _target_machine() -> llvm.TargetMachine:
    target = llvm.Target.from_triple(host().triple)
    return target.create_target_machine(
        cpu=host().cpu, features=host().features, opt=EFFORT, codemodel="jitdefault", jit=True
    )


def object_code(text: str, *, driver: str | None = "run") -> bytes:
    """Compile LLVM text to object code.

    Only the driver, if there is one, wants LLVM's own clean-up: stages come straight-line and already simplified.
    """
    machine = _target_machine()
    module = llvm.parse_assembly(text)
    module.triple = host().triple
    module.data_layout = str(machine.target_data)
    module.verify()
    if driver is not None:
        passes = llvm.create_new_function_pass_manager()
        passes.add_sroa_pass()
        passes.add_instruction_combine_pass()
        passes.add_simplify_cfg_pass()
        builder = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=2))
        passes.run(module.get_function(driver), builder)
    return machine.emit_object(module)


@dataclass(frozen=True)
class Machine:
    """Machine code of one program and width, loaded into this process."""

    width: int
    """States that are evaluated together, one in each lane."""
    workspace_bytes: int
    """Memory that each thread must give to `run` [bytes]."""
    run: Run
    """Evaluates a range of states and keeps Python's lock."""
    run_unlocked: Run
    """Evaluates a range of states while other threads of Python go on."""
    address: int
    """Where the code of both is."""
    engine: llvm.ExecutionEngine
    """LLVM's owner of the code, held so that the code stays alive."""


_SIGNATURE = (ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)


def engine_of(code: bytes) -> llvm.ExecutionEngine:
    """Load object code into this process."""
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), _target_machine())
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    return engine


def load(code: bytes, width: int) -> Machine:
    """Load the object code of a program into this process."""
    engine = engine_of(code)
    address = engine.get_function_address("run")
    room = ctypes.PYFUNCTYPE(ctypes.c_int64)(engine.get_function_address("workspace"))
    return Machine(
        width,
        room(),
        run=ctypes.PYFUNCTYPE(*_SIGNATURE)(address),
        run_unlocked=ctypes.CFUNCTYPE(*_SIGNATURE)(address),
        address=address,
        engine=engine,
    )


def cached_object(key: str, make: Callable[[], bytes]) -> bytes:
    """Return object code from the cache, or make it and cache it."""
    code = disk_cache.read(key)
    if code is None:
        code = make()
        disk_cache.write(key, code)
    return code


def compiled(key: str, width: int, text: Callable[[], str]) -> Machine:
    """Load a program's machine code from the cache, or make it from the text and cache it."""
    return load(cached_object(key, lambda: object_code(text())), width)
