"""Runs functions of the math dialect in kernels on the emulator and measures their errors.

    verify_functions.py [--portable | --worst] [COUNT [WORD...]]

A kernel of each function computes it of f32, f16 and bf16, and of f64 those that kernels have: numbers with every exponent and
both signs, subnormal ones, zeros, infinities, NaN, neighbours of 1 and of multiples of
pi/2, and COUNT (4096) random patterns of bits. WORDs select functions by name. The
reference is the C library's function of long double. An error is counted in units in the
last place of the true result, as its type has them; zeros must have the sign of the
reference, infinities and NaNs stand where it has them.

With --portable, exp, tanh and erf are the host's polynomials, else they are the hardware's,
as the emulator has those: rounded right. With --worst, the functions that the hardware
approximates are as far off as the PTX ISA allows: each result of WORST is moved by as many
units as keep its bound, all up, all down, and the two sorts apart. Then kernels of exp, tanh,
erf, and of what is made of them (sigmoid, gelu, quotients of halves), have to keep the
bounds that are derived from there.

Prints the largest error of each function and type, and where. Exit status 1 if one is
above the bound that ExpandFunctions.cpp states, or if a power with a known exponent has
other bits than its multiplications.
"""

import itertools
import math
import os
import re
import subprocess
import sys
import tempfile

import numpy as np

wide = np.longdouble
THREADS = 256



PORTABLE = "--portable" in sys.argv
WORST = "--worst" in sys.argv
ARGUMENTS = [argument for argument in sys.argv[1:] if not argument.startswith("--")]


def erf(x):
    """Of an f64; zero has no sign in the polynomial (ApproximateMath.cpp)."""
    result = np.vectorize(math.erf)(x.astype(float))
    return (result if not PORTABLE else result + 0.0).astype(wide)


def exp_of_minus_square(x):
    """Of an f64: the square has 106 bits, of which a long double has 64."""
    high = x.astype(np.float32).astype(wide)
    low = x - high
    square = x * x
    return np.exp(-square) * np.exp(-(((high * high - square) + 2 * high * low) + low * low))


ROOT_OF_PI = wide("1.77245385090551602729816748334114518")


def erf_of_double(x):
    """To the bits of a long double: e^(-x^2) (x + 2 x^3 / 3 + 4 x^5 / 15 + ...), no term of another sign."""
    size = np.minimum(np.abs(x), wide(7))
    term = total = size
    for n in range(1, 300):
        term = term * (2 * size * size / (2 * n + 1))
        total = total + term
    result = np.where(size > 2.0**-20, exp_of_minus_square(size), 1 - size * size) * total * 2 / ROOT_OF_PI
    return np.copysign(result, x)


def erfc(x):
    """The same, by a continued fraction from 1 on."""
    size = np.clip(x, wide(1), wide(40))
    rest = size
    for n in range(800, 0, -1):
        rest = size + wide(n) / 2 / rest
    far = exp_of_minus_square(size) / (ROOT_OF_PI * rest)
    return np.where(x < 1, 1 - erf_of_double(x), np.where(np.isnan(x), x, far))


def power(x, y):
    """C99's pow; of glibc's for long double only numbers above 0, as (-inf)^(-2^63) is -0 there."""
    result = np.power(np.abs(x), y)
    result = np.where(np.signbit(x) & (np.abs(np.fmod(y, 2)) == 1), -result, result)
    outside = (x < 0) & np.isfinite(x) & np.isfinite(y) & (np.fmod(y, 1) != 0)
    return np.where(outside | (np.isnan(y) & (x != 1)), np.nan, result)


UNARY = {
    "acos": np.arccos, "acosh": np.arccosh, "asin": np.arcsin, "asinh": np.arcsinh, "atan": np.arctan,
    "atanh": np.arctanh, "cbrt": np.cbrt, "cos": np.cos, "cosh": np.cosh, "erfc": erfc, "expm1": np.expm1,
    "log": np.log, "log10": np.log10, "log1p": np.log1p, "log2": np.log2, "sin": np.sin, "sinh": np.sinh,
    "tan": np.tan,
    "round": lambda x: np.trunc(x + np.copysign(wide(0.5), x)),
    # As on the host (ApproximateMath.cpp names their errors).
    "erf": erf, "exp": np.exp, "tanh": np.tanh,
}  # fmt: skip
BINARY = {"atan2": np.arctan2, "powf": power}
#: Those of f64.
DOUBLE_UNARY = {**UNARY, "erf": erf_of_double, "exp2": np.exp2}

# Made of others, as front ends write them. `%one` and the like are f32 constants in front.
CONSTANTS_OF_COMPOSED = {"one": 1.0, "half": 0.5, "root": 0.5**0.5}
COMPOSED = {
    "sigmoid": """
    %n = arith.negf %w : f32
    %e = math.exp %n : f32
    %s = arith.addf %one, %e : f32
    %f = arith.divf %one, %s : f32""",
    "gelu": """
    %z = arith.mulf %w, %root : f32
    %e = math.erf %z : f32
    %s = arith.addf %one, %e : f32
    %g = arith.mulf %w, %half : f32
    %f = arith.mulf %g, %s : f32""",
    "quotient": """
    %f = arith.divf %w, %v : f32""",
}
# Exponents of fpowi: variable ones, and constants.
WIDTHS = 32, 64
CONSTANTS = 0, 1, 2, 3, 5, 8, -1, -2, -7, 31, -2147483648

# Significant bits and the exponent of the least normal number.
FORMATS = {"f32": (24, -126), "f16": (11, -14), "bf16": (8, -126), "f64": (53, -1022)}
LARGEST = {"f32": 127, "f16": 15, "bf16": 127, "f64": 1023}
# f16 and bf16 are rounded from f32, whose error is the rest.
BOUNDS = {"f32": 0.501, "f16": 0.5 + 2.0**-13, "bf16": 0.5 + 2.0**-16, "f64": 0.54}
# Of f64: what is made of e^x - 1, and erfc's polynomial; and a subnormal result, which is rounded twice.
DIFFERENCES = {"erfc": 0.65, "expm1": 0.65, "sinh": 0.65, "tanh": 0.65}
SUBNORMAL = 0.77
APPROXIMATE = {"erf": 1.3, "exp": 0.9, "tanh": 1.8}
if PORTABLE:
    APPROXIMATE = {"erf": 4.7, "exp": 5.3, "tanh": 4.8}
if WORST:
    APPROXIMATE = {"erf": 1.8, "exp": 3.4, "tanh": 3.9}

# Of each approximation of the hardware: how it stands in a kernel, and from which significands, of
# [1, 2), on a result that is rounded right may be moved by one unit, and by two: a relative error
# of r is r 2^23 m units at the significand m, half a unit of which may be taken already.
MOVES = {
    "ex2": (r"(%\S+) = llvm\.intr\.exp2\(%\S+\) : \(f32\) -> f32", [1.5 / 2**0.5, 2.5 / 2**0.5]),  # 2^-22.5
    "rcp": (r"(%\S+) = nvvm\.rcp\.approx\.ftz\.f %\S+ : f32", [1.5]),  # 2^-23
    "div": (r'(%\S+) = llvm\.call_intrinsic "llvm\.nvvm\.div\.full"\(.*\) : .* -> f32', [1.0]),  # 2 units
}


def move(module, directions):
    """`module` with each approximation moved as far as its bound allows, up or down."""
    count = itertools.count()

    def moved(found, edges, direction):
        name, at = found[1], f"%moved_{next(count)}_"
        lines = [found[0].replace(name, at + "0", 1), f"{at}1 = llvm.bitcast {at}0 : f32 to i32",
                 f"{at}mask = llvm.mlir.constant(8388607 : i32) : i32",
                 f"{at}digits = llvm.and {at}1, {at}mask : i32",
                 # Zeros, subnormal numbers, infinities and NaNs stay.
                 f"{at}two = llvm.mlir.constant(2.350988702e-38 : f32) : f32",
                 f"{at}large = llvm.mlir.constant(1.7014118e+38 : f32) : f32",
                 f"{at}size = llvm.intr.fabs({at}0) : (f32) -> f32",
                 f'{at}above = llvm.fcmp "oge" {at}size, {at}two : f32',
                 f'{at}below = llvm.fcmp "olt" {at}size, {at}large : f32',
                 f"{at}plain = llvm.and {at}above, {at}below : i1"]
        bits = f"{at}1"
        for number, edge in enumerate(edges):
            to = f"{at}step{number}"
            lines += [f"{to}_edge = llvm.mlir.constant({math.ceil((edge - 1) * 2**23)} : i32) : i32",
                      f'{to}_far = llvm.icmp "uge" {at}digits, {to}_edge : i32',
                      # Up from the last significand, a second unit is as large as two.
                      f"{to}_last = llvm.mlir.constant({(1 << 23) - 1 + (number == 0)} : i32) : i32",
                      f'{to}_inside = llvm.icmp "ult" {at}digits, {to}_last : i32',
                      f"{to}_here = llvm.and {to}_far, {to}_inside : i1",
                      f"{to}_both = llvm.and {to}_here, {at}plain : i1",
                      f"{to}_wide = llvm.zext {to}_both : i1 to i32",
                      f"{to} = llvm.{'add' if direction > 0 else 'sub'} {bits}, {to}_wide : i32"]
            bits = to
        return "\n".join([*lines, f"{name} = llvm.bitcast {bits} : i32 to f32"])

    for kind, direction in directions.items():
        pattern, edges = MOVES[kind]
        module = re.sub(pattern, lambda found: moved(found, edges, direction), module)
    return module


def composed(name, x, y):
    """The value of a function of COMPOSED, and the error that it may have in f32. `u` is a rounding."""
    u = wide(2) ** -24
    if name == "sigmoid":
        # e^-x off by so many units, a sum, and a quotient; where e^-x is infinite the result is 0.
        value = 1 / (1 + np.exp(-x))
        return value, value * (2 * APPROXIMATE["exp"] + 3) * u + wide(2) ** -126
    if name == "gelu":
        # Of x sqrt(1/2) and what it moves erf by (z erf'(z) is 0.49 at most), of erf, whose units are
        # half a rounding of 1 or less each, and of 1 + erf; then two products, one of them exact.
        one = 1 + erf(x * wide(0.5) ** 0.5)
        value = x * wide(0.5) * one
        inside = (2 * 0.49 + APPROXIMATE["erf"] + 1) * u
        return value, np.abs(x) / 2 * inside + np.abs(value) * 2 * u + wide(2) ** -148
    # In f32: two units of div.full, a unit being two roundings at most.
    value = x / y
    return value, np.abs(value) * 4 * u + wide(2) ** -148


def bound(name, form):
    if form == "f64":
        return DIFFERENCES.get(name, BOUNDS[form])
    if name not in APPROXIMATE:
        return BOUNDS[form]
    return APPROXIMATE[name] if form == "f32" else 0.5 + APPROXIMATE[name] * 2.0 ** (FORMATS[form][0] - 24)


def encode(values, form):
    """To the type's bits, by rounding: of numbers that it has, exactly."""
    if form == "f64":
        return values.astype(np.float64).view(np.uint64)
    if form == "f32":
        return values.astype(np.float32).view(np.uint32)
    if form == "f16":
        return values.astype(np.float16).view(np.uint16)
    bits = values.astype(np.float32).view(np.uint32)
    bits = np.where(np.isnan(values), 0x7FC00000, bits + 0x7FFF + (bits >> 16 & 1))
    return (bits >> 16).astype(np.uint16)


def decode(bits, form):
    if form == "f64":
        return bits.view(np.float64).astype(wide)
    if form == "f32":
        return bits.view(np.float32).astype(wide)
    if form == "f16":
        return bits.view(np.float16).astype(wide)
    return (bits.astype(np.uint32) << 16).view(np.float32).astype(wide)


#: Ranges of f64.
DENSE = (0.3, 0.5), (0.5, 1.5), (36, 38), (708, 746), (1022, 1075)


def samples(form, count, random):
    """Bits of arguments."""
    width = {"f64": 64, "f32": 32}.get(form, 16)
    storage = {64: np.uint64, 32: np.uint32, 16: np.uint16}[width]
    digits, normal = FORMATS[form]
    powers = wide(2) ** np.arange(normal - digits + 1, LARGEST[form] + 1)
    ulp = wide(2) ** (1 - digits)
    steps = np.arange(-40, 41)
    values = np.concatenate([
        powers, powers * (2 - ulp), powers * random.uniform(1, 2, powers.size), [0, np.inf, np.nan],
        # Edges of ranges: of reduction, of overflow, of results that are subnormal.
        1 + steps * ulp, 0.5 + steps * ulp, [2**0.5, 0.5**0.5, 2**0.5 - 1, 88.7, 88.8, 89.4, 89.5, 103.9, 104, 150],
        [709.7, 709.79, 710.4, 710.5, 744.4, 745.2, 1023.5, 1024, 1074, 1074.5, 1075, 36.7, 40, 40.5],
        np.arange(1, 65), wide(np.pi) / 2 * np.arange(1, 400), 10.0 ** np.arange(-7, 4),
        # Near multiples of pi/2 (J.-M. Muller, Elementary Functions, ch. 11).
        [16367173 * 2.0**72, *(6381956970095103 * 2.0**power for power in (796, 797, 798))],
        # Where sums and differences of powers of 2 and of their rests are least beside their terms, and
        # where results are subnormal.
        *(random.uniform(least, most, count // 4) for least, most in DENSE if form == "f64"),
        powers[-1100:] * (1 - random.uniform(0, 0.01, 1100)) if form == "f64" else [],
    ])  # fmt: skip
    with np.errstate(over="ignore"):
        bits = encode(values, form)
    sign = storage(1 << (width - 1))
    return np.concatenate([bits, bits ^ sign, random.integers(0, (1 << width) - 1, count, storage, endpoint=True)])


def units(result, reference, form):
    """Errors, in units in the last place of the reference."""
    digits, least = FORMATS[form]
    largest = (2 - wide(2) ** (1 - digits)) * wide(2) ** LARGEST[form]
    # Where half a unit beyond the largest number begins, infinity is right.
    overflow = np.abs(reference) >= largest * (1 + wide(2) ** (-digits - 1))
    reference = np.where(overflow, np.copysign(wide(np.inf), reference), reference)
    _, exponent = np.frexp(np.where(np.isfinite(reference), reference, 1))
    exponent = np.where(reference == 0, least, np.maximum(exponent - 1, least))
    error = np.abs(result - reference) / np.ldexp(wide(1), exponent - (digits - 1))
    # A NaN has no sign; what is no number is right or it is not.
    same = (np.isnan(result) & np.isnan(reference)) | ((result == reference) & (np.signbit(result) == np.signbit(reference)))
    is_number = np.isfinite(result) & np.isfinite(reference) & ~((result == 0) & (reference == 0))
    return np.where(same, 0, np.where(is_number, error, np.inf))


def kernel(name, body, form, exponent="i32"):
    return f"""
  llvm.func @{name}(%x: !llvm.ptr<1>, %y: !llvm.ptr<1>, %out: !llvm.ptr<1>)
      attributes {{gpu.kernel, nvvm.kernel, nvvm.reqntid = array<i32: {THREADS}>}} {{
    %block = nvvm.read.ptx.sreg.ctaid.x : i32
    %thread = nvvm.read.ptx.sreg.tid.x : i32
    %threads = arith.constant {THREADS} : i32
    %first = arith.muli %block, %threads : i32
    %i = arith.addi %first, %thread : i32
    %px = llvm.getelementptr %x[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, {form}
    %py = llvm.getelementptr %y[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, {exponent}
    %po = llvm.getelementptr %out[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, {form}
    %a = llvm.load %px : !llvm.ptr<1> -> {form}
    %b = llvm.load %py : !llvm.ptr<1> -> {exponent}
    {body}
    llvm.store %r, %po : {form}, !llvm.ptr<1>
    llvm.return
  }}"""


class Case:
    """A kernel, its arguments' bits and what becomes of them."""

    def __init__(self, name, form, x, y, exponent, body, reference=None, bits=None, error=None):
        self.name, self.form, self.x, self.y, self.error = name, form, x, y, error
        self.text = kernel(f"{name}_{form}", body, form, exponent)
        self.reference, self.bits = reference, bits

    def run(self, module, folder):
        size = -len(self.x) % THREADS
        paths = {}
        for name, values in ("x", self.x), ("y", self.y), ("out", np.zeros_like(self.x)):
            paths[name] = os.path.join(folder, f"{self.name}_{self.form}_{name}.npy")
            padded = np.concatenate([values, np.zeros(size, values.dtype)])
            np.save(paths[name], padded.view(padded.dtype.name.replace("uint", "int")))
        done = subprocess.run(
            ["amp-emu", module, f"--kernel={self.name}_{self.form}", f"--grid={(len(self.x) + size) // THREADS}",
             f"--out=out={paths['out']}"] + [f"--arg={name}={path}" for name, path in paths.items()],
            capture_output=True, text=True,
        )  # fmt: skip
        if done.returncode:
            return f"{self.name} of {self.form}: amp-emu: {done.stdout}{done.stderr}"
        seen = np.load(paths["out"]).view(self.x.dtype)[: len(self.x)]
        return self.compare(seen)

    def compare(self, seen):
        title = f"{self.name} of {self.form}"
        if self.bits is not None:
            same = (seen == self.bits) | (np.isnan(decode(seen, self.form)) & np.isnan(decode(self.bits, self.form)))
            wrong = np.count_nonzero(~same)
            return f"{'wrong' if wrong else 'right'}: {title}: {wrong} of {len(seen)} have other bits"
        if self.error is not None:
            return self.compare_composed(title, decode(seen, self.form))
        errors = units(decode(seen, self.form), self.reference, self.form)
        if self.form == "f64":
            errors[np.abs(self.reference) < wide(2) ** -1022] *= bound(self.name, self.form) / SUBNORMAL
        if self.name == "exp" and self.form != "f64":  # its subnormal results are 0 or the least normal number
            small = self.reference < wide(2) ** -126
            errors[small & (decode(seen, self.form) <= wide(2) ** -126)] = 0
        worst = int(np.argmax(errors))
        allowed = bound(self.name, self.form)
        verdict = "right" if errors[worst] <= allowed else "wrong"
        place = [decode(self.x[worst : worst + 1], self.form)[0]]
        if self.name in BINARY:
            place.append(decode(self.y[worst : worst + 1], self.form)[0])
        elif self.name not in (UNARY | DOUBLE_UNARY):
            place.append(self.y[worst])
        place = ", ".join(map(str, place))
        return f"{verdict}: {title}: {float(errors[worst]):.6f} units at most, of {allowed:.6f}, at {place}"


    def compare_composed(self, title, seen):
        """Against an error in f32, and half a unit of the result's own type."""
        digits, least = FORMATS[self.form]
        largest = (2 - wide(2) ** (1 - digits)) * wide(2) ** LARGEST[self.form]
        size = np.maximum(np.abs(self.reference), wide(2) ** least)
        _, exponent = np.frexp(np.where(np.isfinite(size), size, 1))
        rounding = 0 if self.form == "f32" else np.ldexp(wide(0.5), exponent - digits)
        # A result in the next binade has twice the unit.
        allowed = self.error + rounding * (1 + wide(2) ** -8)
        near = np.abs(seen - self.reference) <= allowed
        same = np.isnan(seen) & np.isnan(self.reference) | (seen == self.reference)
        over = np.isinf(seen) & (np.abs(self.reference) + allowed >= largest)
        wrong = ~(near | same | over)
        share = np.where(np.isfinite(self.reference) & np.isfinite(seen), np.abs(seen - self.reference) / allowed, 0)
        place = int(np.argmax(wrong)) if wrong.any() else int(np.argmax(share))
        return (f"{'wrong' if wrong.any() else 'right'}: {title}: {float(np.max(share)):.3f} of its bound, at "
                f"{decode(self.x[place : place + 1], self.form)[0]}, {decode(self.y[place : place + 1], self.form)[0]}")


def multiply(x, exponent, kind):
    """llvm.powi."""
    x, n, result = x.astype(kind), abs(exponent), None
    while n:
        if n & 1:
            result = x if result is None else result * x
        x, n = x * x, n >> 1
    if result is None:
        return np.ones_like(x)
    return kind(1) / result if exponent < 0 else result


def pairs(form, x, random):
    """Of each number with one of every kind, and with a few near 1 and whole ones."""
    special = encode(np.array([0, 1, 2, 3, 0.5, 1.5, 1 / 3, 7, np.inf, np.nan, 1 + 2.0**-7, 2.0**15], wide), form)
    special = np.concatenate([special, special ^ x.dtype.type(1 << (x.itemsize * 8 - 1))])
    few = x[random.permutation(len(x))[:700]]
    kinds = np.concatenate([special, x[:3]])
    grid = np.meshgrid(kinds, few), np.meshgrid(few, kinds), np.meshgrid(special, special)
    # Large powers of what is near 1, and Adam's.
    near = encode(np.concatenate([1 + random.uniform(-0.01, 0.01, 500), np.repeat([0.9, 0.99, 0.999], 100)]).astype(wide), form)
    large = encode(np.concatenate([random.uniform(-70000, 70000, 500), np.tile(np.arange(100), 3)]).astype(wide), form)
    return (np.concatenate([g[0].ravel() for g in grid] + [near, random.permutation(x)]),
            np.concatenate([g[1].ravel() for g in grid] + [large, random.permutation(x)]))


def make_cases(count):
    random = np.random.default_rng(22)
    cases = []
    for form in FORMATS:
        x = samples(form, count, random)
        values = decode(x, form)
        unary = DOUBLE_UNARY if form == "f64" else UNARY
        for name, function in unary.items():
            body = f"%r = math.{name} %a : {form}"
            cases.append(Case(name, form, x, x, form, body, function(values)))
        for name, function in BINARY.items():
            left, right = pairs(form, x, random)
            body = f"%r = math.{name} %a, %b : {form}"
            cases.append(Case(name, form, left, right, form, body, function(decode(left, form), decode(right, form))))
        few = x[:: len(x) // 2000 or 1]  # each with twelve exponents
        for width in WIDTHS:
            edges = np.array([0, 1, -1, 2, -2, 3, -3, 10, -11, 2 ** (width - 1) - 1, -(2 ** (width - 1))], f"int{width}")
            shifts = random.integers(0, width, len(few))
            n = random.integers(-(2 ** (width - 1)), 2 ** (width - 1), len(few), f"int{width}") >> shifts.astype(f"int{width}")
            left, right = np.concatenate([few] * 12), np.concatenate([n] + [np.full(len(few), edge) for edge in edges])
            body = f"%r = math.fpowi %a, %b : {form}, i{width}"
            reference = power(decode(left, form), right.astype(wide))
            cases.append(Case(f"fpowi{width}", form, left, right, f"i{width}", body, reference))
        for constant in CONSTANTS:
            name = f"fpowi_{constant}".replace("-", "minus_")
            body = f"%n = arith.constant {constant} : i32\n    %r = math.fpowi %a, %n : {form}, i32"
            bits = encode(multiply(values, constant, np.float64 if form == "f64" else np.float32), form)
            cases.append(Case(name, form, x, x, form, body, bits=bits))
    return cases


def make_composed_cases(count):
    """Of f32 and of halves, which go through f32: their quotients are div.full."""
    random = np.random.default_rng(23)
    cases = []
    for form in ("f32", "f16", "bf16"):
        x = samples(form, count, random)
        for name, text in COMPOSED.items():
            left, right = pairs(form, x, random) if name == "quotient" else (x, x)
            widen = "" if form != "f32" else None
            constants = "".join(f"\n    %{key} = arith.constant {value!r} : f32" for key, value in CONSTANTS_OF_COMPOSED.items())
            if widen is None:
                body = constants + text.replace("%w", "%a").replace("%v", "%b").replace("%f =", "%r =")
            else:
                body = (f"{constants}\n    %w = arith.extf %a : {form} to f32\n    %v = arith.extf %b : {form} to f32"
                        f"{text}\n    %r = arith.truncf %f : f32 to {form}")
            reference, error = composed(name, decode(left, form), decode(right, form))
            cases.append(Case(name, form, left, right, form, body, reference, error=error))
    return cases


def main():
    count = int(ARGUMENTS[0]) if ARGUMENTS else 4096
    with np.errstate(all="ignore"), tempfile.TemporaryDirectory() as folder:
        cases = [case for case in make_cases(count) + make_composed_cases(count) if not ARGUMENTS[1:] or case.name in ARGUMENTS[1:]]
        source, module = (os.path.join(folder, name) for name in ("source.mlir", "module.mlir"))
        with open(source, "w") as file:
            file.write("gpu.module @functions {" + "".join(case.text for case in cases) + "\n}\n")
        subprocess.run(["amp-opt", source, "-o", module, f"--amp-kernels-to-nvvm=functions={'portable' if PORTABLE else 'hardware'}"], check=True)
        with open(module) as file:
            whole = file.read()
        results = []
        for ex2, others in itertools.product((1, -1), repeat=2) if WORST else [(0, 0)]:
            if WORST:
                with open(module, "w") as file:
                    file.write(move(whole, {"ex2": ex2, "rcp": others, "div": others}))
            results += [case.run(module, folder) for case in cases]
    print("\n".join(results))
    wrong = sum(not result.startswith("right: ") for result in results)
    print(f"{len(results)} kernels, {wrong} wrong")
    sys.exit(bool(wrong) or not results)


if __name__ == "__main__":
    main()
