"""Write a program as C99 text: one static function for each stage, one public function around them.

No heap, no state, no branch in a stage, loops of fixed length only. The number of operations is the same for every
input. A scan becomes one tick of it: the caller owns time.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from parakin.errors import CExportError
from parakin.files import printable
from parakin.kernels.arguments import Socket
from parakin.kernels.code import Code, Node, number
from parakin.kernels.operations import OPERATIONS
from parakin.kernels.plan import Action, Call, Copy, Iterated, Plan, Repeated, Scanned, Shortened
from parakin.kernels.steady import steady_line

_C_WORDS = """
auto break case char const continue default do double else enum extern float for goto if inline int long register
restrict return short signed sizeof static struct switch typedef union unsigned void volatile while
_Bool _Complex _Imaginary NULL EOF HUGE_VAL HUGE_VALF HUGE_VALL INFINITY NAN FP_INFINITE FP_NAN FP_NORMAL FP_SUBNORMAL
FP_ZERO FP_FAST_FMA FP_ILOGB0 FP_ILOGBNAN MATH_ERRNO MATH_ERREXCEPT math_errhandling float_t double_t size_t
fpclassify isfinite isinf isnan isnormal signbit isgreater isgreaterequal isless islessequal islessgreater isunordered
acos asin atan atan2 cos sin tan acosh asinh atanh cosh sinh tanh exp exp2 expm1 frexp ilogb ldexp log log10 log1p log2
logb modf scalbn scalbln cbrt fabs hypot pow sqrt erf erfc lgamma tgamma ceil floor nearbyint rint lrint llrint round
lround llround trunc fmod remainder remquo copysign nan nextafter nexttoward fdim fmax fmin fma j0 j1 jn y0 y1 yn gamma
abort abs atexit atof atoi atol bsearch calloc div exit free getenv labs ldiv main malloc printf putchar puts qsort rand
random realloc remove rename scanf signal sprintf srand strtod system time pick uint64_t
"""
_TAKEN = frozenset(_C_WORDS.split())
_NO_FUNCTIONS = frozenset({"for", "if", "pick", "return", "sizeof", "switch", "while"})
"""Words of C that stand before a bracket and are no function of <math.h>."""
_LOCAL = frozenset({"i", "k"})
"""Loop counters of the functions written here."""
EXACT = """\
#if defined(__FAST_MATH__) || defined(_M_FP_FAST) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__ > 0)
#error "this code compares with NaN and infinity: compile it without -ffast-math, -Ofast, /fp:fast or their like"
#endif
"""
"""C text that refuses compilers told to take NaN and infinity for impossible; it stands before the includes."""
MATH = """\
#if defined(__STDC_HOSTED__) && __STDC_HOSTED__ == 0
/* Freestanding, there is no <math.h>: the compiler has these few as instructions, or asks its library for them. */
{known}
#define NAN __builtin_nan("")
#define INFINITY __builtin_inf()
#else
#include <math.h>
#endif
"""
"""C text that stands for <math.h>, which microcontrollers without a C library do not have."""
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_INDENT = "    "


@dataclass(frozen=True)
class CSource:
    """A program as C text. Several may share one pair of files."""

    name: str
    """Name of the public function."""
    declaration: str
    """Its declaration under a comment with arguments, shapes and units, for a header."""
    definitions: str
    """The public function after the functions of its stages, for a source file."""


def c_source(
    plan: Plan,
    inputs: Sequence[Socket],
    outputs: Sequence[Socket],
    name: str,
    *,
    reciprocals: bool,
    steady: bool = False,
    status: str | None = None,
    private: bool = False,
    single: bool = False,
) -> CSource:
    """Write the program as C function `name`, of its inputs and then its outputs.

    steady: nothing to branch on, so that compiled code runs as many instructions for every input; see c_math.py.
    status: the output that is 0 for good; where it is 0 although an output is not finite, it becomes -1, all are NaN.
    private: the function is seen in its file alone.
    single: numbers are `float`; the program's stages are all in single precision.
    """
    check_c_name(plan.name, name)
    codes = [stage.prepared(contraction=False, reciprocals=reciprocals, rounding=not single) for stage in plan.stages]
    arguments = argument_names(inputs, outputs, {f"{name}_stage{k}" for k in range(len(plan.stages))})
    signature = f"void {name}({_parameters(*arguments)})"
    defined = f"static {signature}" if private else signature
    port_names = tuple(s.name for s in inputs), tuple(s.name for s in outputs)
    if plan.actions == (Call(0, *port_names),):
        body = _stage_lines(codes[0], *arguments, steady=steady)
        definitions = _function(defined, [*body, *_judged_lines(outputs, arguments, status)])
    else:
        stages = [
            _function(
                f"static {_stage_signature(plan, k, name)}", _stage_lines(code, *_stage_names(plan, k), steady=steady)
            )
            for k, code in enumerate(codes)
        ]
        body = _ProgramLines(plan, name, arguments).lines(inputs, outputs)
        definitions = "\n".join([*stages, _function(defined, [*body, *_judged_lines(outputs, arguments, status)])])
    declaration = _declaration(plan, inputs, outputs, arguments, signature, status=status)
    if single:
        from parakin.kernels.c_single import narrowed

        definitions = narrowed(definitions)
    return CSource(name, declaration, definitions)


def check_c_name(what: str, name: str) -> None:
    """Refuse a name that is no identifier of C, or a word of C or of its headers, in an error about `what`."""
    if not _IDENTIFIER.fullmatch(name) or _means_something(name):
        raise CExportError(what, f"'{name}' is no name for a C function: choose another")


def math_text(definitions: str) -> str:
    """Return what takes the place of `#include <math.h>` before definitions, also where there is no C library."""
    called = {name for name in re.findall(r"\b(\w+)\(", definitions) if _means_something(name)}
    known = [f"#define {name} __builtin_{name}" for name in sorted(called - _NO_FUNCTIONS)]
    return MATH.format(known="\n".join(known)).replace("\n\n", "\n")


def _means_something(name: str) -> bool:
    """Tell whether a name is a word of C or of its headers, plain or with the suffix of float or long double."""
    return name in _TAKEN or (name[-1:] in ("f", "l") and name[:-1] in _TAKEN)


def c_names(names: Iterable[str], taken: set[str]) -> list[str]:
    """Return C identifiers as close to the names as can be, apart from each other and from temporaries t1, t2, ..."""
    identifiers: list[str] = []
    for name in names:
        candidate = re.sub(r"[^A-Za-z0-9_]", "_", name)
        if not _IDENTIFIER.fullmatch(candidate):
            candidate = f"_{candidate}"
        while _means_something(candidate) or candidate in taken | _LOCAL or re.fullmatch(r"t\d+", candidate):
            candidate += "_"
        taken.add(candidate)
        identifiers.append(candidate)
    return identifiers


def argument_names(
    inputs: Sequence[Socket], outputs: Sequence[Socket], others: Iterable[str] = ()
) -> tuple[list[str], list[str]]:
    """Return C identifiers for inputs and outputs, all different from each other and from others."""
    taken = set(others)
    return c_names((s.name for s in inputs), taken), c_names((s.name for s in outputs), taken)


def _stage_names(plan: Plan, k: int) -> tuple[list[str], list[str]]:
    taken: set[str] = set()
    stage = plan.stages[k]
    return c_names((port.name for port in stage.inputs), taken), c_names((port.name for port in stage.outputs), taken)


def _stage_signature(plan: Plan, k: int, name: str) -> str:
    return f"void {name}_stage{k}({_parameters(*_stage_names(plan, k))})"


def _parameters(inputs: Iterable[str], outputs: Iterable[str]) -> str:
    listed = [f"const double *restrict {name}" for name in inputs] + [f"double *restrict {name}" for name in outputs]
    on_one_line = ", ".join(listed) or "void"
    return on_one_line if len(on_one_line) <= 80 else f"\n{_INDENT}" + f",\n{_INDENT}".join(listed)


def _function(signature: str, lines: Iterable[str]) -> str:
    return "\n".join([signature, "{", *(_INDENT + line if line else "" for line in lines), "}", ""])


def comment_text(text: str) -> str:
    """Return text that cannot end the comment it stands in, nor move a terminal's cursor, nor be a trigraph."""
    return re.sub(r"\?(?=\?)", "? ", printable(text).replace("*/", "* /").replace("/*", "/ *"))


def _judged_lines(outputs: Sequence[Socket], arguments: tuple[list[str], list[str]], status: str | None) -> list[str]:
    """Write what makes a state that is not finite one that is not good."""
    judging = [(s, name) for s, name in zip(outputs, arguments[1], strict=True) if s.size]
    told = [name for s, name in judging if s.name == status]
    values = [(s.size, name) for s, name in judging if s.name != status]
    if not told or not values:
        return []
    total, overflow = c_names(["total", "overflow"], {*arguments[0], *arguments[1]})
    return [
        "",
        f"double {total} = 0.0;",
        *(f"for (int k = 0; k < {size}; ++k) {total} += 0.0 * {name}[k];" for size, name in values),
        f"const int {overflow} = ({told[0]}[0] == 0.0) & !({total} == 0.0);",
        *(f"for (int k = 0; k < {size}; ++k) {name}[k] = {overflow} ? NAN : {name}[k];" for size, name in values),
        f"{told[0]}[0] = {overflow} ? -1.0 : {told[0]}[0];",
    ]


def _declaration(
    plan: Plan,
    inputs: Sequence[Socket],
    outputs: Sequence[Socket],
    arguments: tuple[list[str], list[str]],
    signature: str,
    *,
    status: str | None,
) -> str:
    rows: list[tuple[str, str, str, str]] = []
    for direction, sockets, names in (("in", inputs, arguments[0]), ("out", outputs, arguments[1])):
        for s, name in zip(sockets, names, strict=True):
            shape = " x ".join(map(str, s.shape)) or "1"
            rows.append((direction, f"{name}[{s.size}]", shape, f"[{comment_text(s.unit)}]" if s.unit else ""))
    widths = [max((len(row[k]) for row in rows), default=0) for k in range(3)]
    table = [
        " * " + "  ".join([*(cell.ljust(width) for cell, width in zip(row, widths, strict=False)), row[3]]).rstrip()
        for row in rows
    ]
    scan = [" * One tick of its scan."] if any(isinstance(action, Scanned) for action in plan.actions) else []
    iterated = any(isinstance(action, Iterated) for action in plan.actions)
    judged = [f" * Where {status} would be 0 although an output is not finite, it is -1 and the others are NaN."]
    loops = ", the body of an iteration counted once" if iterated else ""
    return "\n".join(
        [
            "/*",
            f" * {comment_text(plan.name)}: {plan.operations}{loops}.",
            *scan,
            " * Matrices are row-major; arguments must not overlap; inputs are not checked.",
            *(judged if status is not None else []),
            " *",
            *table,
            " */",
            f"{signature};",
            "",
        ]
    )


# A stage -------------------------------------------------------------------------------------------------------------


def _literal(node: Node) -> str:
    value = number(node)
    if math.isnan(value):
        return "NAN"
    text = "INFINITY" if math.isinf(value) else repr(abs(value))
    return f"(-{text})" if math.copysign(1.0, value) < 0.0 else text


def _stage_lines(code: Code, inputs: Sequence[str], outputs: Sequence[str], *, steady: bool) -> list[str]:
    """Write a stage, its temporaries grouped by the first output that needs them."""
    names: dict[int, str] = {}
    lines: list[str] = []
    read: set[int] = set()
    for k, node in enumerate(code.nodes):
        if node.op == "const":
            names[k] = _literal(node)
        elif node.op == "input":
            names[k] = f"{inputs[node.place[0]]}[{node.place[1]}]"
            read.add(node.place[0])
    unread = [f"(void){name};" for port, name in enumerate(inputs) if port not in read]
    for name, values in zip(outputs, code.outputs, strict=True):
        if not values:
            lines.append(f"(void){name};")
        for element, value in enumerate(values):
            for k in _needed_first(code, value, names):
                line, names[k] = steady_line(code, k, names) if steady else _line(code, k, names)
                lines.append(line)
            lines += [f"{name}[{element}] = {names[value]};", ""]
    return [*unread, *lines[: -1 if lines and not lines[-1] else None]]


def _line(code: Code, k: int, names: dict[int, str]) -> tuple[str, str]:
    """Return the definition of a value's temporary, and its name."""
    node = code.nodes[k]
    return f"const double t{k} = {OPERATIONS[node.op].c.format(*(names[a] for a in node.args))};", f"t{k}"


def _needed_first(code: Code, value: int, known: dict[int, str]) -> list[int]:
    """Return what has to be computed for a value, itself included, arguments before their users."""
    order: list[int] = []
    placed = set[int]()
    stack = [(value, False)]
    while stack:
        k, ready = stack.pop()
        if k in known or k in placed:
            continue
        if ready:
            placed.add(k)
            order.append(k)
        else:
            stack.append((k, True))
            stack.extend((a, False) for a in reversed(code.nodes[k].args))
    return order


# The program around the stages ---------------------------------------------------------------------------------------


class _ProgramLines:
    """The body of the public function: signals are local arrays; actions are calls, copies and loops over them."""

    def __init__(self, plan: Plan, name: str, arguments: tuple[list[str], list[str]]) -> None:
        self.plan = plan
        self.name = name
        self.arguments = arguments
        stages = {f"{name}_stage{k}" for k in range(len(plan.stages))}
        self.taken = {*arguments[0], *arguments[1], *stages}
        signals = list(plan.sizes)
        self.signal = dict(zip(signals, c_names((f"s_{name}" for name in signals), self.taken), strict=True))

    def lines(self, inputs: Sequence[Socket], outputs: Sequence[Socket]) -> list[str]:
        arguments = self.arguments
        declared = [f"double {self.signal[name]}[{max(1, size)}] = {{0.0}};" for name, size in self.plan.sizes.items()]
        fetched = [
            self.copy(argument, self.signal[s.name], s.size) for s, argument in zip(inputs, arguments[0], strict=True)
        ]
        delivered = [
            self.copy(self.signal[s.name], argument, s.size) for s, argument in zip(outputs, arguments[1], strict=True)
        ]
        return [*declared, *fetched, "", *self.run(self.plan.actions), "", *delivered]

    @staticmethod
    def copy(source: str, target: str, size: int) -> str:
        return f"for (int k = 0; k < {size}; ++k) {target}[k] = {source}[k];"

    def run(self, actions: Sequence[Action]) -> list[str]:
        lines: list[str] = []
        for action in actions:
            match action:
                case Call(stage, reads, writes):
                    listed = ", ".join(self.signal[name] for name in (*reads, *writes))
                    lines.append(f"{self.name}_stage{stage}({listed});")
                case Copy(source, target):
                    lines.append(self.copy(self.signal[source], self.signal[target], self.plan.sizes[target]))
                case Repeated(times, body):
                    lines += self.loop(times, self.run(body))
                case Iterated():
                    lines += self.iterate(action)
                case Scanned(body) | Shortened(sure=body):
                    lines += self.run(body)
        return lines

    def loop(self, times: int, body: list[str]) -> list[str]:
        return [f"for (int i = 0; i < {times}; ++i) {{", *(_INDENT + line for line in body), "}"]

    def iterate(self, action: Iterated) -> list[str]:
        """Write an iteration that always runs to its limit; once it has finished, its signals stay as they are."""
        if action.residual is None or action.residual not in {port.name for port in self.plan.outputs}:
            raise CExportError(
                self.plan.name,
                f"C runs the iteration until '{action.until}' a fixed {action.limit} times: name the signal that tells "
                "how well it converged with iterate(..., residual=...), and return it among the program's outputs",
            )
        steps, until = self.signal[action.steps], self.signal[action.until]
        (active,) = c_names([f"active_{action.steps}"], self.taken)
        places = c_names((f"held_{name}" for name in action.held), self.taken)
        held = dict(zip(action.held, places, strict=True))
        body = [f"double {place}[{max(1, self.plan.sizes[name])}];" for name, place in held.items()]
        body += [self.copy(self.signal[name], place, self.plan.sizes[name]) for name, place in held.items()]
        body += self.run(action.body)
        for name, place in held.items():
            signal = self.signal[name]
            size = self.plan.sizes[name]
            body.append(f"for (int k = 0; k < {size}; ++k) {signal}[k] = {active} ? {signal}[k] : {place}[k];")
        body += [f"{steps}[0] += {active} ? 1.0 : 0.0;", f"{active} = {active} && {until}[0] == 0.0;"]
        return [f"int {active} = 1;", f"{steps}[0] = 0.0;", *self.loop(action.limit, body)]
