"""Kernels as WebAssembly: one module of bytes that a web page, or any other engine, runs as it is.

`Kernel.to_wasm()` writes one kernel, `module({name: kernel, ...})` several that share functions and memory.
"""

from parakin.kernels.wasm.modules import MEMORY, SECTION, module

__all__ = ["MEMORY", "SECTION", "module"]
