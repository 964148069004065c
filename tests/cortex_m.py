"""Controllers on a Cortex-M: compiled freestanding by Debian's gcc-arm-none-eabi, run by qemu without any C library."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from parakin.export import ControllerFiles, OnboardFiles

GCC, QEMU = "arm-none-eabi-gcc", "qemu-system-arm"
CORES = {
    "Cortex-M7": ("-mcpu=cortex-m7", "-mfpu=fpv5-d16", "-mfloat-abi=hard"),
    "Cortex-M4": ("-mcpu=cortex-m4", "-mfpu=fpv4-sp-d16", "-mfloat-abi=hard"),
}
"""Flags of each core; that of the M4 computes doubles by functions of the compiler's library."""
STRICT = ["-std=c99", "-O2", "-Wall", "-Wextra", "-Wconversion", "-pedantic", "-Werror", "-ffreestanding", "-mthumb"]
STRICT += ["-fno-math-errno", "-fstack-usage"]
COUNTED = 50
"""Ticks whose instructions are counted."""
RESOLUTION = 40
"""Instructions in a count of the timer: qemu gives an instruction 1 ns, and the timer has 25 MHz."""


def missing() -> list[str]:
    """Programs that are not here."""
    return [program for program in (GCC, QEMU) if shutil.which(program) is None]


@dataclass(frozen=True)
class Compiled:
    """What a controller takes on a core."""

    text: int
    """Bytes of code and constants."""
    data: int
    """Bytes of memory that last."""
    stack: int
    """Bytes on the stack in `step`, all that it calls within its file included."""


def compiled(files: ControllerFiles | OnboardFiles, core: str, directory: Path) -> Compiled:
    """Compile a controller for a core, all warnings as errors."""
    name = files.source.stem
    target = directory / f"{name}.o"
    command = [GCC, *STRICT, *CORES[core], "-c", str(files.source), "-o", str(target)]
    subprocess.run(command, check=True)
    sizes = subprocess.run(["arm-none-eabi-size", str(target)], capture_output=True, text=True, check=True).stdout
    text, data, bss = map(int, sizes.splitlines()[1].split()[:3])
    rows = (line.split("\t") for line in target.with_suffix(".su").read_text().splitlines())
    used = {row[0].rpartition(":")[2]: (int(row[1]), row[2]) for row in rows}
    assert all(kind in ("static", "dynamic,bounded") for _, kind in used.values()), used
    stack = sum(size for function, (size, _) in used.items() if not function.endswith("_init"))
    return Compiled(text, data + bss, stack)


def ran(files: ControllerFiles | OnboardFiles, directory: Path) -> tuple[int, float]:
    """Replay a controller's recorded loop on a Cortex-M7 under qemu; return wrong forces and instructions a tick."""
    name = files.source.stem
    for file, text in (("math.h", _MATH), ("stdio.h", _STDIO), ("start.c", _START), ("link.ld", _LINK)):
        (directory / file).write_text(text)
    replay = files.selftest.read_text()
    (directory / "replay.c").write_text(_counted(replay, name))
    command = [GCC, *STRICT[:2], "-ffreestanding", "-mthumb", "-fno-math-errno", *CORES["Cortex-M7"], f"-I{directory}"]
    command += [f"-I{files.header.parent}", "-nostdlib", "-T", str(directory / "link.ld")]
    command += [str(files.source), str(directory / "replay.c"), str(directory / "start.c"), "-lgcc"]
    subprocess.run([*command, "-o", str(directory / "run.elf")], check=True)
    machine = [
        QEMU,
        "-M",
        "mps2-an500",
        "-nographic",
        "-icount",
        "shift=0",
        "-semihosting-config",
        "enable=on,target=native",
    ]
    done = subprocess.run(
        [*machine, "-kernel", str(directory / "run.elf")], capture_output=True, text=True, check=False, timeout=120
    )
    found = re.search(r"wrong (\d+) counts (\d+)", done.stdout + done.stderr)
    assert found, (done.stdout, done.stderr, done.returncode)
    return int(found[1]), int(found[2]) * RESOLUTION / COUNTED


def _counted(replay: str, name: str) -> str:
    """Return a self-test that counts the instructions of its first ticks and says so."""
    before, after = "        if (tick < COUNTED) begin_count();\n", "        if (tick < COUNTED) end_count();\n"
    (call,) = re.findall(rf"^ +[^\n]*{name}_step\(.*?;\n", replay, re.MULTILINE | re.DOTALL)
    head, _, tail = replay.partition(call)
    tail = tail.replace("    return wrong != 0;", "    report(wrong);\n    return wrong != 0;")
    said = "void begin_count(void);\nvoid end_count(void);\nvoid report(int wrong);\n"
    return f"#define COUNTED {COUNTED}\n{said}{head}{before}{call}{after}{tail}"


_MATH = '#define fabs __builtin_fabs\n#define NAN __builtin_nan("")\n'
_STDIO = "static int printf(const char *text, ...) { return text != 0; }\n"
_LINK = """\
ENTRY(start)
MEMORY { CODE (rx) : ORIGIN = 0x00000000, LENGTH = 4M  DATA (rw) : ORIGIN = 0x20000000, LENGTH = 4M }
SECTIONS
{
    .text : { KEEP(*(.vectors)) *(.text*) *(.rodata*) } > CODE
    .ARM.exidx : { *(.ARM.exidx*) } > CODE
    .data : { *(.data*) } > DATA
    .bss : { *(.bss*) *(COMMON) } > DATA
}
"""
_START = """\
#include <stddef.h>
#include <stdint.h>

int main(void);
void start(void);
__attribute__((section(".vectors"), used)) const uintptr_t vectors[] = {0x20400000u, (uintptr_t)start};

static volatile uint32_t *const timer = (uint32_t *)0xE000E010u; /* control, reload, current */
static uint32_t begun, total;

static void asked(int operation, const void *argument)
{
    register int r0 __asm__("r0") = operation;
    register const void *r1 __asm__("r1") = argument;
    __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
}

void begin_count(void) { begun = timer[2]; }
void end_count(void) { total += (begun - timer[2]) & 0xFFFFFFu; }

static char *digits(char *end, uint32_t value)
{
    do { *--end = (char)('0' + value % 10u); value /= 10u; } while (value);
    return end;
}

void report(int wrong)
{
    char number[12] = {0};
    asked(4, "wrong ");
    asked(4, digits(number + 11, (uint32_t)wrong));
    asked(4, " counts ");
    asked(4, digits(number + 11, total));
    asked(4, "\\n");
}

void *memcpy(void *to, const void *from, size_t size)
{
    for (size_t k = 0; k < size; ++k) ((volatile char *)to)[k] = ((const char *)from)[k];
    return to;
}

void *memset(void *to, int value, size_t size)
{
    for (size_t k = 0; k < size; ++k) ((volatile char *)to)[k] = (char)value;
    return to;
}

double floor(double x)
{
    double whole;
    __asm__("vrintm.f64 %P0, %P1" : "=w"(whole) : "w"(x));
    return whole;
}

void start(void)
{
    *(volatile uint32_t *)0xE000ED88u |= 0xFu << 20; /* the floating-point unit on */
    __asm__ volatile("dsb; isb");
    timer[1] = 0xFFFFFFu;
    timer[2] = 0u;
    timer[0] = 5u;
    main();
    asked(0x18, (void *)0x20026);
    for (;;) { }
}
"""
