"""LLVM text to machine code of this host, through the cache."""

from __future__ import annotations

import ctypes
import hashlib
import platform
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import casadi as ca
import llvmlite
import llvmlite.binding as llvm

from parakin.kernels import disk_cache

Run = Callable[[int, int, int, int], int]
"""run(context address, workspace address, first state, state after the last) -> 1 if an input was unusable"""


@dataclass(frozen=True)
class Host:
    """What code is made for."""

    triple: str
    cpu: str
    features: str

    @property
    def width(self) -> int:
        """Lanes of a register."""
        return 8 if "+avx512f" in self.features else 4 if "+avx2" in self.features else 2

    @property
    def fused(self) -> bool:
        """Does it multiply and add in one instruction?"""
        return "+fma" in self.features or self.triple.startswith(("aarch64", "arm64"))


@cache
def host() -> Host:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return Host(llvm.get_process_triple(), llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten())


@cache
def _maker() -> bytes:
    """What else decides the object code: the versions, and this package's own text."""
    digest = hashlib.sha256()
    versions = (llvmlite.__version__, llvm.llvm_version_info, ca.__version__, platform.python_version())
    digest.update(repr(versions).encode())
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.read_bytes())
    return digest.digest()


def key_of(content: str, options: object) -> str:
    """Names a compiled program: its content, its options, the host and the maker."""
    digest = hashlib.sha256(_maker())
    digest.update(repr((host(), options)).encode())
    digest.update(content.encode())
    return digest.hexdigest()


def _target_machine() -> llvm.TargetMachine:
    target = llvm.Target.from_triple(host().triple)
    return target.create_target_machine(
        cpu=host().cpu, features=host().features, opt=2, codemodel="jitdefault", jit=True
    )


def object_code(text: str) -> bytes:
    """Compile. Only the driver wants LLVM's own clean-up: stages come straight-line and already simplified."""
    machine = _target_machine()
    module = llvm.parse_assembly(text)
    module.triple = host().triple
    module.data_layout = str(machine.target_data)
    module.verify()
    passes = llvm.create_new_function_pass_manager()
    passes.add_sroa_pass()
    passes.add_instruction_combine_pass()
    passes.add_simplify_cfg_pass()
    builder = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=2))
    passes.run(module.get_function("run"), builder)
    return machine.emit_object(module)


@dataclass(frozen=True)
class Machine:
    """Loaded machine code. `run` keeps Python's lock, `run_unlocked` lets other threads go on."""

    width: int
    workspace_bytes: int
    run: Run
    run_unlocked: Run
    engine: llvm.ExecutionEngine  # owns the code


_SIGNATURE = (ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)


def load(code: bytes, width: int) -> Machine:
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), _target_machine())
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    address = engine.get_function_address("run")
    room = ctypes.PYFUNCTYPE(ctypes.c_int64)(engine.get_function_address("workspace"))
    return Machine(
        width,
        room(),
        run=ctypes.PYFUNCTYPE(*_SIGNATURE)(address),
        run_unlocked=ctypes.CFUNCTYPE(*_SIGNATURE)(address),
        engine=engine,
    )


def compiled(key: str, width: int, text: Callable[[], str]) -> Machine:
    """From the cache, or made from the text and cached."""
    code = disk_cache.read(key)
    if code is None:
        code = object_code(text())
        disk_cache.write(key, code)
    return load(code, width)
