"""A controller in C is built and tested by a Makefile, with the flags that are set here."""

from __future__ import annotations

FLAGS = ("-std=c99", "-O2", "-fno-math-errno", "-Wall", "-Wextra", "-Wconversion", "-pedantic", "-Werror")
"""Flags of the compiler: all warnings are errors, and -std=c99 also keeps gcc from fusing products with sums.

Without -fno-math-errno the root of a negative number, that of a pose out of reach, would be another way through libm.
"""
SANITIZERS = ("-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
"""Additional flags with which the self-test stops at a bad access or at undefined behaviour."""


def makefile_text(name: str) -> str:
    """Write the Makefile of a controller."""
    return _MAKEFILE.format(name=name, flags=" ".join(FLAGS), sanitizers=" ".join(SANITIZERS))


_MAKEFILE = """\
# make        compile the controller and its self-test
# make check  run the self-test       make sanitized  the same under the address and undefined behaviour sanitizers
CC = gcc
CFLAGS = {flags}
SANITIZERS = {sanitizers}
SOURCES = {name}.c {name}_selftest.c

.PHONY: all check sanitized clean

all: {name}.o {name}_selftest

{name}.o: {name}.c {name}.h
\t$(CC) $(CFLAGS) -c {name}.c -o $@

{name}_selftest: {name}.o {name}_selftest.c {name}.h
\t$(CC) $(CFLAGS) {name}_selftest.c {name}.o -o $@ -lm

{name}_sanitized: $(SOURCES) {name}.h
\t$(CC) $(CFLAGS) $(SANITIZERS) $(SOURCES) -o $@ -lm

check: {name}_selftest
\t./{name}_selftest

sanitized: {name}_sanitized
\t./{name}_sanitized

clean:
\trm -f {name}.o {name}_selftest {name}_sanitized
"""
