"""Controllers in C are built and tested by a Makefile, the same for all of a directory, with the flags set here."""

from __future__ import annotations

FLAGS = ("-std=c99", "-O2", "-fno-math-errno", "-Wall", "-Wextra", "-Wconversion", "-pedantic", "-Werror")
"""Flags of the compiler: all warnings are errors, and -std=c99 also keeps gcc from fusing products with sums.

Without -fno-math-errno the root of a negative number, that of a pose out of reach, would be another way through libm.
"""
SANITIZERS = ("-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
"""Additional flags with which the self-test stops at a bad access or at undefined behaviour."""


def makefile_text() -> str:
    """Write the Makefile, which finds controllers by their self-tests."""
    return _MAKEFILE.format(flags=" ".join(FLAGS), sanitizers=" ".join(SANITIZERS))


_MAKEFILE = """\
# make         compile the controllers of this directory and their self-tests      make shared   lib*.so of them
# make check   run the self-tests      make sanitized   the same under the address and undefined behaviour sanitizers
CC = gcc
CFLAGS = {flags}
SANITIZERS = {sanitizers}
NAMES := $(patsubst %_selftest.c,%,$(wildcard *_selftest.c))

.PHONY: all check sanitized shared clean
.SECONDARY:

all: $(NAMES:%=%.o) $(NAMES:%=%_selftest)

shared: $(NAMES:%=lib%.so)

%.o: %.c %.h
\t$(CC) $(CFLAGS) -c $< -o $@

%_selftest: %.o %_selftest.c %.h
\t$(CC) $(CFLAGS) $*_selftest.c $*.o -o $@ -lm

%_sanitized: %.c %_selftest.c %.h
\t$(CC) $(CFLAGS) $(SANITIZERS) $*.c $*_selftest.c -o $@ -lm

lib%.so: %.c %.h
\t$(CC) $(CFLAGS) -shared -fPIC $< -o $@ -lm

check: $(NAMES:%=%_selftest)
\tset -e; for name in $(NAMES); do ./$${{name}}_selftest; done

sanitized: $(NAMES:%=%_sanitized)
\tset -e; for name in $(NAMES); do ./$${{name}}_sanitized; done

clean:
\trm -f $(NAMES:%=%.o) $(NAMES:%=%_selftest) $(NAMES:%=%_sanitized) $(NAMES:%=lib%.so)
"""
